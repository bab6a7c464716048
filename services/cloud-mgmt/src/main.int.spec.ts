import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { isConditionTrue, type Infrastructure } from '@crate/api';
import type { Database } from '@crate/database';
import { eventually } from '@crate/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { aSpec } from './testing/a-spec.js';
import { ACCOUNT, NAMESPACE, TestCloud, type Remote } from './testing/test-cloud.js';

const PATIENCE = { timeoutMs: 180_000 };
jest.setTimeout(900_000);

let cloud: TestCloud;
let remote: Remote;
let database: Database;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  cloud = await TestCloud.start();
  remote = await cloud.remote();
  database = cloud.database();
});
afterAll(async () => {
  for (const service of running) await kill(service);
  await database.close();
  await remote.close();
  await cloud.stop();
});

/** Keys of one that is killed are taken over sooner than in production. */
const SHORT_LEASE = '3s';
/** No pause of a busy machine lets it lapse: nothing is begun twice. */
const LONG_LEASE = '30s';

function start(lease: string): ChildProcess {
  const service = cloud.spawnService(lease);
  running.add(service);
  return service;
}

async function kill(service: ChildProcess): Promise<void> {
  running.delete(service);
  const exited = once(service, 'exit');
  service.kill('SIGKILL');
  await exited;
}

async function ensure(name: string): Promise<void> {
  await eventually(
    () => remote.infrastructures.ensure({ metadata: { name, namespace: NAMESPACE }, spec: aSpec(name) }, 'test'),
    PATIENCE,
  );
}

async function untilReady(name: string): Promise<Infrastructure> {
  return eventually(async () => {
    const found = await remote.infrastructures.find(name, NAMESPACE);
    expect(isConditionTrue(found?.status?.conditions, 'Ready', found?.metadata.generation)).toBe(true);
    return found!;
  }, PATIENCE);
}

async function untilGone(name: string): Promise<void> {
  await eventually(() => remote.infrastructures.remove(name, NAMESPACE).then(() => true), PATIENCE);
  await eventually(async () => expect(await remote.infrastructures.find(name, NAMESPACE)).toBeUndefined(), PATIENCE);
}

/** Processes that work below this test's directory. */
async function workers(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.filter((folder) => folder.startsWith(cloud.directory));
}

const count = async (table: string): Promise<number> =>
  (await database.firstRow<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))?.n ?? -1;

it('survives SIGKILL at any time: nothing is doubled, lost or left behind', async () => {
  let service = start(SHORT_LEASE);
  await eventually(
    () =>
      remote.accounts.ensure(
        { metadata: { name: 'sandbox', namespace: NAMESPACE }, spec: { provider: 'sandbox-aws', accountId: ACCOUNT } },
        'test',
      ),
    PATIENCE,
  );
  await ensure('model');
  await untilReady('model');
  const whole = cloud.inventory();
  await untilGone('model');
  expect(cloud.inventory()).toEqual([]);

  await cloud.sandbox.cloud.latency.set({ scale: 0.3, createMs: {} });
  await ensure('victim');
  for (const share of [0.05, 0.3, 0.6, 0.9]) {
    await eventually(() => expect(cloud.inventory().length).toBeGreaterThanOrEqual(whole.length * share), PATIENCE);
    await kill(service);
    service = start(SHORT_LEASE);
  }
  await untilReady('victim');
  expect(cloud.inventory()).toEqual(whole);

  await eventually(() => remote.infrastructures.remove('victim', NAMESPACE).then(() => true), PATIENCE);
  for (const share of [0.8, 0.4]) {
    await eventually(() => expect(cloud.inventory().length).toBeLessThanOrEqual(whole.length * share), PATIENCE);
    await kill(service);
    service = start(SHORT_LEASE);
  }
  await untilGone('victim');
  expect(cloud.inventory()).toEqual([]);
  expect(await count('terraform_runs')).toBe(0);
  expect(await count('secret_versions')).toBe(0);
  expect(await workers()).toEqual([]);
});

it('shares the work between replicas', async () => {
  for (const service of running) await kill(service);
  start(LONG_LEASE);
  const second = start(LONG_LEASE);
  await cloud.sandbox.cloud.latency.set({ scale: 0.1, createMs: {} });
  const names = ['r0', 'r1', 'r2', 'r3'];
  for (const name of names) await ensure(name);
  for (const name of names) await untilReady(name);
  expect(cloud.inventory('aws_vpc')).toHaveLength(names.length);
  expect(await count("terraform_runs WHERE state = 'succeeded'")).toBe(names.length);
  expect(await count('terraform_runs')).toBe(names.length);

  await kill(second);
  await Promise.all(names.map(untilGone));
  expect(cloud.inventory()).toEqual([]);
});

it('stops in order when asked to', async () => {
  const [service] = running;
  const exited = once(service!, 'exit');
  running.delete(service!);
  service!.kill('SIGTERM');

  expect((await exited)[0]).toBe(0);
});
