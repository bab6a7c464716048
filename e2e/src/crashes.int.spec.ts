import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from './crate-user.js';

/** Who is killed while the cloud resources come, and who while Kubernetes does. */
const VICTIMS = [
  { infrastructure: ['cloud-mgmt'], kubernetes: ['cluster-mgmt'] },
  { infrastructure: ['sandbox', 'lifecycle'], kubernetes: ['policy-mgmt'] },
];
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

/** Waits until the work of the phase is under way. */
async function untilBusy(phase: 'Infrastructure' | 'Kubernetes'): Promise<void> {
  await user.until('demo', (cluster) => {
    const found = cluster.status?.phases?.find((each) => each.name === phase);
    return found?.state === 'Running' && (phase === 'Kubernetes' || found.step > 3);
  });
}

describe('kill -9 in the middle', () => {
  it.each(VICTIMS)(
    'of creating and deleting: $infrastructure and $kubernetes are started again and nothing is doubled or lost',
    async ({ infrastructure, kubernetes }) => {
      await user.applyQuickstart();
      await untilBusy('Infrastructure');
      for (const name of infrastructure) await kill(name);
      await untilBusy('Kubernetes');
      for (const name of kubernetes) await kill(name);
      await user.untilReady();
      const instances = (await platform.inventory()).filter(({ type }) => type === 'aws_instance');
      expect(instances).toHaveLength(INSTANCES);

      await user.delete();
      for (const name of [...infrastructure, ...kubernetes]) await kill(name);
      await user.untilGone();
      expect(await platform.inventory()).toEqual([]);
    },
  );
});
