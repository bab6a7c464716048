import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser, isReady, small } from './crate-user.js';
import { StoredRows } from './stored-rows.js';

/** More than the two processes of cloud-mgmt take at once, on purpose, however many processors there are. */
const COUNT = 5;
const SETTINGS = { CRATE_TERRAFORM_CONCURRENCY: '1' };
/** A control-plane machine, a worker and the bastion. */
const INSTANCES = 3;
const NAMES = Array.from({ length: COUNT }, (_, index) => `fleet-${index}`);
const RUNS = 'crate_terraform_run_seconds_count';
/** Ready is not at rest: statuses, events and add-ons are still written then. */
const SETTLES_MS = 300_000;
/** So long nothing may be written: what comes more often than that is found each time. */
const WATCHED_MS = 20_000;

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  // Slow enough that the first ones are still at work when the last one comes.
  platform = await CratePlatform.start({ replicas: 2, settings: SETTINGS, latencyScale: 0.5 });
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

/** Passes of one process so far, over all of its reconcilers. */
async function passes(process: string): Promise<number> {
  return platform.metric(process, 'crate_reconcile_pass_seconds_count');
}

describe('more clusters than run at once, over two replicas of every service', () => {
  it('all become Ready, and those that wait say for what', async () => {
    for (const name of NAMES) await user.applyQuickstart(name, small);
    const queued = await user.until(NAMES.at(-1) ?? '', (cluster) =>
      /ahead|Waiting for a Terraform slot/.test(cluster.status?.progress?.message ?? ''),
    );
    expect(isReady(queued)).toBe(false);

    await platform.setLatency(0);
    for (const name of NAMES) await user.untilReady(name);
    const instances = (await platform.inventory()).filter(({ type }) => type === 'aws_instance');
    expect(instances).toHaveLength(COUNT * INSTANCES);
  });

  it('share the work', async () => {
    for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) {
      expect(await passes(service)).toBeGreaterThan(0);
      expect(await passes(`${service}-2`)).toBeGreaterThan(0);
    }
  });

  it('are quiet once settled: no row is written and Terraform does not run', async () => {
    const rows = await StoredRows.open(await platform.databaseUrl());
    const written = async (): Promise<Readonly<Record<string, number>>> => ({
      ...(await rows.writes()),
      'runs of Terraform': await platform.metric('cloud-mgmt', RUNS),
      'runs of Terraform of its replica': await platform.metric('cloud-mgmt-2', RUNS),
    });
    try {
      // What came to rest late on a slow machine is over at the next look; what goes on is there at each.
      await eventually(
        async () => {
          const before = await written();
          await delay(WATCHED_MS);
          expect(await written()).toEqual(before);
        },
        { timeoutMs: SETTLES_MS },
      );
    } finally {
      await rows.close();
    }
  });
});
