import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { describedScopes } from '@crate/messaging';
import { eventually } from '@crate/testing';
import { ensureWorkspaceRoot } from './engine/rke/workspace-root.js';
import { addOns } from './testing/add-ons.cases.js';
import { BARE_SPEC } from './testing/builders.js';
import { DemoCluster, DENIED, FIRST, MORE, NAMESPACE, PATIENCE } from './testing/demo-cluster.js';
import { engineStates } from './testing/engine-states.cases.js';
import { inCluster } from './testing/in-cluster.cases.js';
import { kubeconfigs } from './testing/kubeconfigs.cases.js';
import { nodesThatComeAndGo } from './testing/nodes.cases.js';

jest.setTimeout(180_000);

let demo: DemoCluster;
beforeAll(async () => {
  demo = await DemoCluster.start();
});
afterAll(async () => demo.stop());

it('answers what the contract says, for the scopes that it says', () => {
  expect(demo.service.methods.scopes()).toEqual(describedScopes('cluster-mgmt'));
});

describe('a KubernetesCluster', () => {
  it('makes its key, waits for machines, and comes up on them', async () => {
    await demo.ensure(BARE_SPEC);
    await demo.giveMachines(FIRST);
    const ready = await demo.untilReady();

    expect(ready.status?.nodes?.map(({ name, ready: isReady }) => `${name} ${isReady}`)).toEqual(
      FIRST.map((name) => `${name} true`),
    );
    expect(ready.status?.apiEndpoint).toBe(`https://127.0.0.1:${demo.platform.apiPort}`);
    expect(demo.platform.reviews.map(({ stage }) => stage)).toEqual(['EngineConfig']);
    const nodes = await demo.inside((cluster) => cluster.nodes());
    expect(nodes.map(({ name, role }) => `${name} ${role}`)).toEqual([
      'demo-control-plane-0 control-plane',
      'demo-workers-0 worker',
      'demo-workers-1 worker',
    ]);
  });

  it('is left alone once it is settled', async () => {
    const { resourceVersion } = (await demo.find()).metadata;
    await demo.pass();

    expect((await demo.find()).metadata.resourceVersion).toBe(resourceVersion);
    expect(await demo.count('engine_runs')).toBe(1);
  });

  kubeconfigs(() => demo);

  addOns(() => demo);

  nodesThatComeAndGo(() => demo);

  it('is taken over by another replica without another run of the engine', async () => {
    const runs = await demo.count('engine_runs');
    await demo.replaceService();
    await demo.pass();

    expect(await demo.count('engine_runs')).toBe(runs);
  });

  it('goes on where a killed engine left off', async () => {
    const failed = await demo.count(`engine_runs WHERE state = 'failed'`);
    await demo.platform.writeRke('[ -e "$0.killed" ] || { touch "$0.killed"; kill -9 $$; }');
    await demo.giveMachines(MORE);
    await demo.untilReady();
    await demo.platform.writeRke();

    expect((await demo.find()).status?.nodes).toHaveLength(4);
    expect(await demo.count(`engine_runs WHERE state = 'failed'`)).toBe(failed + 1);
  });

  engineStates(() => demo);

  it('tells why policy denies it, and converges once policy allows it', async () => {
    demo.platform.verdict = DENIED;
    await demo.giveMachines(FIRST, MORE);
    await eventually(async () => {
      expect((await demo.find()).status?.failure).toMatchObject({
        code: 'PolicyDenied',
        field: 'spec.kubernetes.engine',
      });
    }, PATIENCE);

    demo.platform.verdict = { allowed: true, violations: [] };
    await demo.enqueue('kubernetes-cluster', 'demo');
    await demo.untilReady();
  });

  describe('that is the one which the service runs in', () => inCluster(() => demo));

  it('takes add-ons and cluster away and leaves nothing behind', async () => {
    const removeInstallation = async (name: string): Promise<void> => {
      await demo.platform.installations(demo.service).remove(name, NAMESPACE);
      await eventually(async () => {
        expect(await demo.installation(name)).toBeUndefined();
      }, PATIENCE);
    };
    await removeInstallation('demo-docs');
    await removeInstallation('demo-baseline');
    const namespaces = await demo.inside((cluster) => cluster.list('v1', 'Namespace'));
    expect(namespaces.items.map(({ metadata }) => metadata.name)).not.toContain('crate-addons');

    await demo.platform.clusters(demo.service).remove('demo', NAMESPACE);
    await eventually(() => expect(demo.find()).rejects.toThrow('gone'), PATIENCE);
    expect(await demo.count('engine_runs')).toBe(0);
    expect(await demo.count('secret_versions')).toBe(0);
    expect(await demo.service.foundation.secrets.countOwners()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it('is removed though its machines are gone', async () => {
    await demo.ensure(BARE_SPEC);
    await eventually(async () => expect((await demo.find()).status?.sshPublicKey).toBeDefined(), PATIENCE);
    demo.platform.machines.set([], 'ssh-ed25519 AAAA none');
    await demo.ensure(demo.specFor(FIRST));
    await eventually(async () => {
      expect((await demo.find()).status?.failure).toMatchObject({ code: 'SshUnreachable', field: 'spec.nodes' });
    }, PATIENCE);
    await demo.ensure({ ...demo.specFor([]), nodes: [] });
    await demo.platform.clusters(demo.service).remove('demo', NAMESPACE);

    await eventually(() => expect(demo.find()).rejects.toThrow('gone'), PATIENCE);
  });
});

/** Folders that engine runs left. */
async function leftovers(): Promise<string[]> {
  return readdir(await ensureWorkspaceRoot(demo.platform.workspacesDir));
}
