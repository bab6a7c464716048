import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { PASSWORD, TestPlatform } from '../testing/platform.js';
import { connectNats } from './connect-nats.js';

describe('connectNats', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await TestPlatform.start();
  });

  afterAll(async () => platform.stop());

  function options(logger: InMemoryLogger) {
    const { url } = platform.nats;
    return { url, user: 'lifecycle', password: PASSWORD, name: 'test', inboxPrefix: '_INBOX_lifecycle', logger };
  }

  it('waits for a server that is not up yet, and says so', async () => {
    const logger = new InMemoryLogger();
    process.kill(platform.nats.pid, 'SIGKILL');
    const connecting = connectNats(options(logger));
    await eventually(() => logger.at('warn').length > 0);

    await platform.nats.restart();

    const connection = await connecting;
    expect(connection.isClosed()).toBe(false);
    expect(new Set(logger.at('warn').map(({ message }) => message))).toEqual(new Set(['Waiting for NATS']));
    await connection.close();
  });

  it('tries again when the server did not wait for the credentials', async () => {
    const logger = new InMemoryLogger();
    const hasty = await serverWithoutPatience(platform.nats.port);

    const connection = await connectNats({ ...options(logger), url: `nats://127.0.0.1:${hasty.port}` });

    await connection.flush();
    expect(logger.at('warn').map(({ message }) => message)).toEqual(['Waiting for NATS']);
    await connection.close();
    hasty.close();
  });

  it('gives up waiting when told to', async () => {
    const signal = AbortSignal.timeout(50);
    const gone = { ...options(new InMemoryLogger()), url: 'nats://127.0.0.1:1', signal };
    await expect(connectNats(gone)).rejects.toThrow();
  });

  it('finds another of several servers when the one it was at is gone', async () => {
    const other = await TestPlatform.start();
    const logger = new InMemoryLogger();
    const connection = await connectNats({ ...options(logger), url: `${platform.nats.url}, ${other.nats.url}` });
    const [first, second] =
      connection.getServer() === `127.0.0.1:${platform.nats.port}` ? [platform, other] : [other, platform];

    process.kill(first.nats.pid, 'SIGKILL');

    await eventually(() => connection.getServer() === `127.0.0.1:${second.nats.port}`);
    await connection.flush();
    await connection.close();
    await first.nats.restart();
    await other.stop();
  });

  it('connects again at once after the clock was set back', async () => {
    const realNow = Date.now.bind(Date);
    const ahead = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 600_000);
    const connection = await connectNats(options(new InMemoryLogger()));
    ahead.mockRestore();

    process.kill(platform.nats.pid, 'SIGKILL');
    await platform.nats.restart();

    await eventually(async () => connection.rtt().then(() => true));
    await connection.close();
  });

  it('never writes the password to the log', async () => {
    const logger = new InMemoryLogger();
    await expect(connectNats({ ...options(logger), password: 'hunter2' })).rejects.toThrow(/^(?!.*hunter2)/);
    expect(JSON.stringify(logger.lines)).not.toContain('hunter2');
  });
});

/** Tells its first client what nats-server tells one whose CONNECT comes too late; whoever comes next is at the server behind it. */
async function serverWithoutPatience(behind: number): Promise<{ readonly port: number; close(): void }> {
  const info = { server_id: 'A', version: '2.9.10', proto: 1, max_payload: 1_048_576, auth_required: true };
  let isFirst = true;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (isFirst) socket.end(`INFO ${JSON.stringify(info)}\r\n-ERR 'Authentication Timeout'\r\n`);
    else socket.pipe(connect(behind, '127.0.0.1')).pipe(socket);
    isFirst = false;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
