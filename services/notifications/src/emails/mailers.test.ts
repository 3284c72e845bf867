import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@tributary/runtime/config.ts';
import { SMTPServer } from 'smtp-server';
import type { NotificationsConfig } from '../config.ts';
import { createMailer } from './create-mailer.ts';
import { fileMailer } from './file-mailer.ts';
import type { Mail } from './mailer.ts';
import { smtpMailer } from './smtp-mailer.ts';

const FROM = 'Acme <no-reply@example.com>';
const mail: Mail = {
  message_id: '01900000-0000-4000-8000-000000000001@example.com',
  to: 'zoe@example.com',
  subject: 'Hello Zoë',
  text: 'In plain text',
  html: '<p>In HTML</p>',
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-mail-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('mail as files', () => {
  const read = async () =>
    Promise.all(
      (await readdir(join(folder, 'mail'))).map((file) => readFile(join(folder, 'mail', file), 'utf8')),
    );

  test('is one complete message each, in a folder made when it is needed', async () => {
    const mailer = fileMailer(join(folder, 'mail'), FROM);
    await mailer.send(mail);
    expect(await readdir(join(folder, 'mail'))).toEqual(['01900000-0000-4000-8000-000000000001.eml']);
    const [message] = await read();
    expect(message).toMatch(/^From: Acme <no-reply@example\.com>$/m);
    expect(message).toMatch(/^To: zoe@example\.com\r$/m);
    expect(message).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(message).toMatch(/^Message-ID: <01900000-0000-4000-8000-000000000001@example\.com>\r$/m);
    expect(message).toMatch(/^Content-Type: multipart\/alternative/m);
    expect(message).toContain('In plain text');
    expect(message).toContain('<p>In HTML</p>');
  });

  test('that is sent twice is one file', async () => {
    const mailer = fileMailer(join(folder, 'mail'), FROM);
    await mailer.send(mail);
    await mailer.send(mail);
    expect(await read()).toHaveLength(1);
  });

  test('that is to be forgotten is gone, and may have been gone before', async () => {
    const mailer = fileMailer(join(folder, 'mail'), FROM);
    await mailer.send(mail);
    await mailer.forget([mail.message_id]);
    await mailer.forget([mail.message_id]);
    expect(await read()).toEqual([]);
  });

  test('reaches nobody else whatever a subject or an address holds', async () => {
    const mailer = fileMailer(join(folder, 'mail'), FROM);
    await mailer.send({
      ...mail,
      to: 'zoe@example.com,eve@example.com',
      subject: 'x\r\nBcc: eve@example.com',
    });
    const [message] = await read();
    expect(message).not.toMatch(/^Bcc:/im);
  });
});

describe('mail over SMTP', () => {
  async function startServer(options: { refuse?: number } = {}) {
    const received: { from: string; to: string[]; content: string }[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            content: Buffer.concat(chunks).toString(),
          });
          done(options.refuse ? Object.assign(new Error('no'), { responseCode: options.refuse }) : null);
        });
      },
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.server.address() as AddressInfo;
    return {
      url: `smtp://127.0.0.1:${port}`,
      received,
      stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
  }

  test('arrives with its Message-ID', async () => {
    const server = await startServer();
    const mailer = smtpMailer(server.url, FROM);
    await mailer.send(mail);
    expect(server.received).toMatchObject([{ from: 'no-reply@example.com', to: ['zoe@example.com'] }]);
    expect(server.received[0]!.content).toContain(`Message-ID: <${mail.message_id}>`);
    mailer.close();
    await server.stop();
  });

  test.each([450, 550])("tells a server's refusal %i by its code", async (refuse) => {
    const server = await startServer({ refuse });
    const mailer = smtpMailer(server.url, FROM);
    await expect(mailer.send(mail)).rejects.toMatchObject({ responseCode: refuse });
    mailer.close();
    await server.stop();
  });

  test('rejects when no server is there', async () => {
    const mailer = smtpMailer('smtp://127.0.0.1:1', FROM);
    await expect(mailer.send(mail)).rejects.toThrow('ECONNREFUSED');
    mailer.close();
  });
});

test('the configuration names files or SMTP, and not both', () => {
  const config = { publicUrl: 'https://example.com' } as NotificationsConfig;
  expect(() => createMailer(config)).toThrow(ConfigError);
  expect(() => createMailer({ ...config, mailDirectory: 'x', smtpUrl: 'smtp://y' })).toThrow(ConfigError);
  createMailer({ ...config, mailDirectory: 'x' }).close();
  createMailer({ ...config, smtpUrl: 'smtp://127.0.0.1:1' }).close();
});
