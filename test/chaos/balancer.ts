import { createConnection, createServer, type Socket } from 'node:net';
import { freePorts } from '@tributary/servers/free-ports.ts';

/** What a cluster's network does between a service's name and its instances: new connections go to one that is ready. */
export interface Balancer {
  port: number;
  /** Sends new connections here, too. */
  add(port: number): void;
  /** Sends no more connections here; those that are open stay. */
  remove(port: number): void;
  stop(): Promise<void>;
}

export async function startBalancer(firstPort: number): Promise<Balancer> {
  const targets = [firstPort];
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    return socket.once('close', () => open.delete(socket)).once('error', () => undefined);
  };
  let turn = 0;
  const server = createServer((incoming) => {
    turn += 1;
    const outgoing = keep(createConnection({ host: '127.0.0.1', port: targets[turn % targets.length]! }));
    keep(incoming).setNoDelay(true).pipe(outgoing.setNoDelay(true)).pipe(incoming);
    // An end that is reset is reset on the other side as well.
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
  });
  const [port] = (await freePorts(1)) as [number];
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    add: (target) => void targets.push(target),
    remove: (target) => void targets.splice(targets.indexOf(target), 1),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
