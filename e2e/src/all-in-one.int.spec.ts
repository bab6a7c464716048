import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser, small } from './crate-user.js';

const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];

describe('crate up --all-in-one', () => {
  let platform: CratePlatform;
  let user: CrateUser;
  beforeAll(async () => {
    // What the killed process held is taken over when its leases are over.
    const settings = { CRATE_RECONCILE_LEASE_MS: '8s' };
    platform = await CratePlatform.start({ isAllInOne: true, settings });
    user = await CrateUser.of(platform);
  });
  afterAll(() => platform?.remove());

  const pids = async (): Promise<ReadonlySet<number>> => {
    const processes = await platform.processes();
    return new Set(SERVICES.map((name) => processes[name]?.pid ?? 0));
  };

  it('runs all services in one process, each with a health of its own', async () => {
    const processes = await platform.processes();
    const states = await Promise.all(
      SERVICES.map(async (name) => (await fetch(`${processes[name]?.healthUrl}/readyz`)).status),
    );

    expect((await pids()).size).toBe(1);
    expect(new Set(SERVICES.map((name) => processes[name]?.healthUrl)).size).toBe(SERVICES.length);
    expect(states).toEqual([200, 200, 200, 200]);
  });

  it('says which service a line of the log is of, and which metrics are whose', async () => {
    const log = await readFile(join(platform.directory, 'logs', 'all-in-one.log'), 'utf8');
    const started = log.split('\n').filter((line) => line.includes('"Started"'));
    const processes = await platform.processes();
    const metrics = await (await fetch(`${processes['policy-mgmt']?.healthUrl}/metrics`)).text();

    expect(started.map((line) => (JSON.parse(line) as { service: string }).service).sort()).toEqual(
      [...SERVICES].sort(),
    );
    expect(metrics).toContain('service="policy-mgmt"');
    expect(metrics).not.toContain('service="lifecycle"');
  });

  it('brings a cluster up, goes on after the process was killed, and takes the cluster away', async () => {
    await user.applyQuickstart('demo', small);
    await user.untilReady();
    const [killed = 0] = await pids();
    process.kill(killed, 'SIGKILL');

    await eventually(async () => (await pids()).has(killed) === false && (await user.find()) !== undefined, {
      timeoutMs: 120_000,
    });
    await user.delete();
    await user.untilGone();
    expect(await platform.inventory()).toEqual([]);
  });

  it('ends in order, and starts again on its data', async () => {
    await platform.crate('down');
    await platform.up();

    expect((await pids()).size).toBe(1);
    expect(await platform.crate('get', 'projects')).toContain('team-a');
  });
});
