import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from './crate-user.js';

const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt', 'sandbox'];
/** Three control-plane machines, two workers and the bastion. */
const INSTANCES = 6;

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  // Slow enough that a service dies in the middle of something.
  platform = await CratePlatform.start({ latencyScale: 0.3 });
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

async function kill(name: string): Promise<void> {
  const { [name]: victim } = await platform.processes();
  if (!victim) throw new Error(`${name} does not run`);
  process.kill(victim.pid, 'SIGKILL');
  // The record names the new process once it runs.
  await eventually(async () => (await platform.processes())[name]?.pid !== victim.pid, { timeoutMs: 30_000 });
}

/** Waits until the work that the service does for the cluster is under way. */
async function untilBusy(name: string): Promise<void> {
  const phase = { 'cluster-mgmt': 'Kubernetes' }[name] ?? 'Infrastructure';
  await user.until('demo', (cluster) => {
    const found = cluster.status?.phases?.find((each) => each.name === phase);
    return found?.state === 'Running' && (phase === 'Kubernetes' || found.step > 3);
  });
}

describe('kill -9 in the middle', () => {
  it.each(SERVICES)('of creating and deleting: %s is started again and nothing is doubled or lost', async (name) => {
    await user.applyQuickstart();
    await untilBusy(name);
    await kill(name);
    await user.untilReady();
    const instances = (await platform.inventory()).filter(({ type }) => type === 'aws_instance');
    expect(instances).toHaveLength(INSTANCES);

    await user.delete();
    await user.until('demo', (cluster) => cluster.metadata.deletionTimestamp !== undefined).catch(() => undefined);
    await kill(name);
    await user.untilGone();
    expect(await platform.inventory()).toEqual([]);
  });
});
