import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  eventually,
  NatsSpy,
  startNats,
  startPostgres,
  withSpy,
  type NatsServer,
  type PostgresServer,
} from '@crate/testing';
import { LeakScan } from '../world/leaks.js';
import { NatsTraffic } from './nats-traffic.js';

let server: NatsServer;
let traffic: NatsTraffic;
let postgres: PostgresServer;
let directory: string;
beforeAll(async () => {
  server = await startNats({ config: withSpy('authorization { users: [\n] }\n') });
  postgres = await startPostgres();
  directory = await mkdtemp(join(tmpdir(), 'chaos-traffic-'));
  await mkdir(join(directory, 'logs'));
  traffic = await NatsTraffic.on(server.port);
});
afterAll(async () => {
  await traffic?.stop();
  await server?.stop();
  await postgres?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function say(text: string): Promise<void> {
  const spy = await NatsSpy.listen(server.port);
  await spy.say('crate.planted', text);
  spy.stop();
}

/** Says it until it is heard, which it is not before the listener is back; gives all that was heard. */
async function untilHeard(text: string): Promise<string> {
  let heard = '';
  await eventually(async () => {
    await say(text);
    heard += traffic.take().toString();
    return heard.includes(text);
  });
  return heard;
}

describe('what crosses NATS', () => {
  it('is heard, also after the server was killed', async () => {
    await untilHeard('before');
    await server.restart();
    expect(await untilHeard('after')).toContain('after');
  });

  it('is given once', async () => {
    await untilHeard('once');
    await untilHeard('twice');
    expect(await untilHeard('more')).not.toContain('once');
  });

  it('may have no secret in it', async () => {
    const secret = 'canary/0123456789/abcdef';
    const plain = [{ kind: 'credentials', content: Buffer.from(JSON.stringify({ secretAccessKey: secret })) }];
    const scan = new LeakScan({ directory, databaseUrl: () => Promise.resolve(postgres.url) }, { traffic });
    await eventually(async () => {
      await say(JSON.stringify({ secret }));
      return (await scan.look(plain)).some((place) => /^credentials .* in NATS$/.test(place));
    });
  });
});
