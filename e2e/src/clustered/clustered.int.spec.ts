import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { natsServerConfig, SERVICES } from '@crate/auth';
import { CratePlatform, eventually, NatsCluster, PostgresCluster } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { Writers } from './writers.js';

const PASSWORD = 'a-password';
const SERVICE_NAMES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];
const TIMEOUT_MS = 180_000;

let directory: string;
let postgres: PostgresCluster;
let nats: NatsCluster;
let platform: CratePlatform;
let writers: Writers;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-clustered-'));
  const users = SERVICES.map((service) => ({ service, password: PASSWORD }));
  postgres = await PostgresCluster.start();
  nats = await NatsCluster.start(natsServerConfig({ port: 4222, users }));
  const [databaseUrlFile, password] = await Promise.all([
    keep('database-url', postgres.url),
    keep('password', PASSWORD),
  ]);
  const settings = { CRATE_NATS_URL: nats.url, CRATE_NATS_PASSWORD_FILE: password };
  platform = await CratePlatform.start({ databaseUrlFile, settings });
  writers = new Writers((await CrateUser.of(platform)).api);
  await writers.start();
});
afterAll(async () => {
  await writers?.stop();
  await platform?.remove();
  await nats?.stop();
  await postgres?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function keep(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

async function pids(): Promise<readonly (number | undefined)[]> {
  const processes = await platform.processes();
  return SERVICE_NAMES.map((name) => processes[name]?.pid);
}

/** So many more writes were acknowledged, the last of them by services that had all they need. */
async function untilWritten(more: number): Promise<void> {
  const enough = writers.acknowledged.length + more;
  await eventually(() => writers.acknowledged.length >= enough, { timeoutMs: TIMEOUT_MS });
}

describe('three servers of NATS and three of PostgreSQL, under load', () => {
  it('lose one of each, and no write that was acknowledged; nothing has to be started again', async () => {
    const before = await pids();
    await untilWritten(20);

    expect(await nats.loseBusiest()).toBeGreaterThan(0);
    await untilWritten(40);
    await postgres.losePrimary();
    await untilWritten(40);
    await writers.stop();

    const { names } = await writers.stored();
    expect(names).toEqual(expect.arrayContaining(writers.acknowledged));
    expect(await pids()).toEqual(before);
  });

  it('and work goes on: everything that was written is looked at', async () => {
    const areReady = async (): Promise<boolean> => {
      const { names, ready } = await writers.stored();
      return names.length === ready.length;
    };
    await eventually(areReady, { timeoutMs: TIMEOUT_MS });
  });
});
