import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
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

interface Tried {
  readonly isEncrypted: boolean;
  readonly log: string;
}

/** Connects, or gives the first warning. */
async function attempt(server: NatsServer, options: Partial<ConnectNatsOptions>): Promise<Tried> {
  const logger = new InMemoryLogger();
  const warned = new AbortController();
  const { signal } = warned;
  jest.spyOn(logger, 'warn').mockImplementation((message, fields = {}) => {
    logger.lines.push({ level: 'warn', message, fields });
    warned.abort();
  });
  const own = { url: server.url, user: 'lifecycle', password: PASSWORD, name: 'test', inboxPrefix: '_INBOX_lifecycle' };
  const log = (): string => logger.lines.map(({ fields }) => String(fields['error'])).join();
  try {
    const connection = await connectNats({ ...own, logger, signal, ...options });
    const isEncrypted = connection.info?.tls_required === true;
    await connection.close();
    return { isEncrypted, log: log() };
  } catch {
    return { isEncrypted: false, log: log() };
  }
}

const tlsUrl = (server: NatsServer): string => server.url.replace('nats://', 'tls://');

describe('NATS with TLS', () => {
  it('says anew why it is not reached, once that is something else', async () => {
    const server = await start(await authority.issue('late'));
    const logger = new InMemoryLogger();
    const ended = new AbortController();
    process.kill(server.pid, 'SIGKILL');
    const own = { url: tlsUrl(server), user: 'lifecycle', password: PASSWORD, name: 'test', inboxPrefix: '_INBOX_x' };
    const connecting = connectNats({ ...own, logger, signal: ended.signal });
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
    expect(await attempt(secure, { tls })).toEqual({ isEncrypted: true, log: '' });
    expect(await attempt(secure, { tls, url: tlsUrl(secure) })).toEqual({ isEncrypted: true, log: '' });
  });

  it('is reached with a certificate of the client, where the server asks for one', async () => {
    const tls = { caFile: authority.certificateFile, ...client };
    expect(await attempt(mutual, { tls })).toEqual({ isEncrypted: true, log: '' });
  });

  it('is refused when its certificate is of an unknown authority', async () => {
    const { isEncrypted, log } = await attempt(secure, { url: tlsUrl(secure) });
    expect([isEncrypted, log]).toEqual([false, expect.stringMatching(/certificate|unable to verify/i)]);
  });

  it.each([
    { how: 'by the URL', options: () => ({ url: tlsUrl(plain) }) },
    { how: 'by an authority', options: () => ({ tls: { caFile: authority.certificateFile } }) },
  ])('is not given up for a server without it, when it was asked for $how', async ({ options }) => {
    const { log } = await attempt(plain, options());
    expect(log).toContain("does not support 'tls'");
  });
});
