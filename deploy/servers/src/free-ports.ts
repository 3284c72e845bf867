import { type AddressInfo, createServer } from 'node:net';

/** Free TCP ports on loopback, all different. Another program may take one before it is used: be ready to ask again. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve, reject) =>
        server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server)),
      );
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
