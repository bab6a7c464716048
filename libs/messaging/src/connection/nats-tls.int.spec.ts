import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { natsServerConfig, type NatsServerTls } from '@crate/auth';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually, startNats, TestAuthority, type CertificateFiles, type NatsServer } from '@crate/testing';
import { connectNats, type ConnectNatsOptions } from './connect-nats.js';

const PASSWORD = 'a-password';
const users = [{ service: 'lifecycle', password: PASSWORD }];

let directory: string;
let authority: TestAuthority;
let client: CertificateFiles;
let plain: NatsServer;
let secure: NatsServer;
let mutual: NatsServer;
const started: NatsServer[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-nats-tls-'));
  authority = await TestAuthority.create(directory);
  const tls = await authority.issue('nats');
  client = await authority.issue('client');
  const clientCaFile = authority.certificateFile;
  plain = await start();
  secure = await start(tls);
  mutual = await start({ ...tls, clientCaFile });
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function start(tls?: NatsServerTls): Promise<NatsServer> {
  const server = await startNats({ config: natsServerConfig({ port: 4222, users, ...(tls ? { tls } : {}) }) });
  started.push(server);
  return server;
}

const own = { user: 'lifecycle', password: PASSWORD, name: 'test', inboxPrefix: '_INBOX_lifecycle' };

/** Connects and tells whether that is encrypted. A server ends a handshake that takes too long; then it is tried again. */
async function isEncrypted(server: NatsServer, options: Partial<ConnectNatsOptions>): Promise<boolean> {
  const { signal } = new AbortController();
  const connection = await connectNats({ ...own, url: server.url, logger: new InMemoryLogger(), signal, ...options });
  const encrypted = connection.info?.tls_required === true;
  await connection.close();
  return encrypted;
}

/** Tries to connect until it warns for this reason, and sees that it had not given up. */
async function expectWarning(server: NatsServer, options: Partial<ConnectNatsOptions>, reason: RegExp): Promise<void> {
  const logger = new InMemoryLogger();
  const ended = new AbortController();
  const connecting = connectNats({ ...own, url: server.url, logger, signal: ended.signal, ...options });
  const outcome = connecting.then(
    () => 'connected',
    () => (ended.signal.aborted ? 'ended' : 'given up'),
  );
  await eventually(() => logger.at('warn').some(({ fields }) => reason.test(String(fields['error']))));
  ended.abort();
  expect(await outcome).toBe('ended');
}

const tlsUrl = (server: NatsServer): string => server.url.replace('nats://', 'tls://');

describe('NATS with TLS', () => {
  it('says anew why it is not reached, once that is something else', async () => {
    const server = await start(await authority.issue('late'));
    const logger = new InMemoryLogger();
    const ended = new AbortController();
    process.kill(server.pid, 'SIGKILL');
    const connecting = connectNats({ ...own, url: tlsUrl(server), logger, signal: ended.signal });
    const causes = (): string =>
      logger
        .at('warn')
        .map(({ fields }) => inspect(fields['error']))
        .join();
    await eventually(() => causes().includes('ECONNREFUSED'));

    await server.restart();

    await eventually(() => /certificate/.test(causes()));
    ended.abort();
    await expect(connecting).rejects.toThrow();
  });

  it('is reached with the authority of its certificate', async () => {
    const tls = { caFile: authority.certificateFile };
    expect(await isEncrypted(secure, { tls })).toBe(true);
    expect(await isEncrypted(secure, { tls, url: tlsUrl(secure) })).toBe(true);
  });

  it('is reached with a certificate of the client, where the server asks for one', async () => {
    const tls = { caFile: authority.certificateFile, ...client };
    expect(await isEncrypted(mutual, { tls })).toBe(true);
  });

  it('is refused when its certificate is of an unknown authority', async () => {
    await expectWarning(secure, { url: tlsUrl(secure) }, /certificate|unable to verify/i);
  });

  it.each([
    { how: 'by the URL', options: () => ({ url: tlsUrl(plain) }) },
    { how: 'by an authority', options: () => ({ tls: { caFile: authority.certificateFile } }) },
  ])('is not given up for a server without it, when it was asked for $how', async ({ options }) => {
    await expectWarning(plain, options(), /does not support 'tls'/);
  });
});
