import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from './crate-user.js';

/** Who is killed in which part of bringing a cluster up; those of one round at once. */
const VICTIMS = [
  { phase: 'Infrastructure', rounds: [['cloud-mgmt'], ['sandbox', 'lifecycle']] },
  { phase: 'Kubernetes', rounds: [['cluster-mgmt'], ['policy-mgmt']] },
] as const;
const EVERYBODY = VICTIMS.flatMap(({ rounds }) => rounds.flat());
/** A pass of a process that died is taken over when its lease is over, so an operator may shorten it. */
const SETTINGS = { CRATE_RECONCILE_LEASE_MS: '8s', CRATE_RECONCILE_BACKOFF_CAP_MS: '3s' };
/** Three control-plane machines, two workers and the bastion. */
const INSTANCES = 6;

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  // Slow enough that a service dies in the middle of something.
  platform = await CratePlatform.start({ latencyScale: 0.3, settings: SETTINGS });
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

async function kill(names: readonly string[]): Promise<void> {
  const running = await platform.processes();
  const victims = names.map((name) => ({ name, pid: running[name]?.pid }));
  for (const { name, pid } of victims) {
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, 'SIGKILL');
  }
  // The record names the new process once it runs.
  const isReplaced = async (): Promise<boolean> => {
    const now = await platform.processes();
    return victims.every(({ name, pid }) => now[name] && now[name].pid !== pid);
  };
  await eventually(isReplaced, { timeoutMs: 120_000 });
}

/** Waits until the work of the phase is well under way. */
async function untilBusy(phase: 'Infrastructure' | 'Kubernetes'): Promise<void> {
  await user.until('demo', (cluster) => {
    const found = cluster.status?.phases?.find((each) => each.name === phase);
    if (found === undefined || found.state === 'Pending') return false;
    return found.state !== 'Running' || phase === 'Kubernetes' || found.step > 3;
  });
}

describe('kill -9 in the middle', () => {
  it('of creating: all services and the cloud are started again one after the other, and nothing is doubled', async () => {
    await user.applyQuickstart();
    for (const { phase, rounds } of VICTIMS) {
      for (const names of rounds) {
        await untilBusy(phase);
        await kill(names);
      }
    }
    await user.untilReady();
    const instances = (await platform.inventory()).filter(({ type }) => type === 'aws_instance');
    expect(instances).toHaveLength(INSTANCES);
  });

  it('of deleting: all of them at once, while the cloud is cleared, and nothing is left', async () => {
    const whole = (await platform.inventory()).length;
    await user.delete();
    await eventually(async () => (await platform.inventory()).length < whole, { timeoutMs: 180_000 });
    await kill(EVERYBODY);
    await user.untilGone();
    expect(await platform.inventory()).toEqual([]);
  });
});
