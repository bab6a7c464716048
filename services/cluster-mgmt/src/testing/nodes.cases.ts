import { findCondition, isConditionTrue, type KubeObject, type Manifest } from '@crate/api';
import { applyManifests } from '@crate/kubernetes';
import { eventually } from '@crate/testing';
import { expect, it } from '@jest/globals';
import { FIRST, MANAGER, MORE, PATIENCE, type DemoCluster } from './demo-cluster.js';

const BUDGET = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** A pod that may not be evicted from its node. */
function heldOn(node: string): Manifest[] {
  const [metadata, matchLabels] = [{ name: 'held', namespace: 'default' }, { app: 'held' }];
  const containers = [{ name: 'held', image: 'registry.example.com/held:1.0.0' }];
  const template = {
    metadata: { labels: matchLabels },
    spec: { nodeSelector: { 'kubernetes.io/hostname': node }, containers },
  };
  return [
    { ...DEPLOYMENT, metadata, spec: { replicas: 1, selector: { matchLabels }, template } },
    { ...BUDGET, metadata, spec: { minAvailable: 1, selector: { matchLabels } } },
  ];
}

/** What becomes of a cluster of the first machines whose nodes come, go, die and fall ill: it has those again in the end. */
export function nodesThatComeAndGo(demo: () => DemoCluster): void {
  async function podsOn(node: string): Promise<readonly KubeObject[]> {
    const pods = await demo().inside((cluster) => cluster.list('v1', 'Pod', { namespace: 'default' }));
    return pods.items.filter(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === node);
  }

  it('grows by a node', async () => {
    await demo().giveMachines(MORE);
    expect((await demo().untilReady()).status?.nodes).toHaveLength(4);
  });

  it('drains a node that is no longer asked for, as its budgets allow, and then drops it', async () => {
    const applying = { fieldManager: MANAGER, signal: new AbortController().signal };
    const pod = async (): Promise<string | undefined> => (await podsOn('demo-workers-2'))[0]?.metadata.name;
    await demo().inside((cluster) => applyManifests(cluster, heldOn('demo-workers-2'), applying));
    await eventually(async () => expect(await pod()).toBeDefined(), PATIENCE);
    const runs = await demo().count('engine_runs');
    await demo().giveMachines(FIRST, MORE);
    await eventually(async () => {
      const ready = findCondition((await demo().find()).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ reason: 'WaitingForNodesToLeave' });
      expect(ready?.message).toContain('Draining demo-workers-2: pods may not go yet: default/held-');
    }, PATIENCE);
    expect(await pod()).toBeDefined();
    expect(await demo().count('engine_runs')).toBe(runs);

    await demo().inside((cluster) => cluster.remove({ ...BUDGET, name: 'held', namespace: 'default' }));
    await demo().untilReady();
    expect((await demo().inside((cluster) => cluster.nodes())).map(({ name }) => name)).toEqual(FIRST);
    expect(await demo().count('engine_runs')).toBe(runs + 1);
    await demo().inside((cluster) => cluster.remove({ ...DEPLOYMENT, name: 'held', namespace: 'default' }));
  });

  it('has the taints that it is to have after runs that failed before they came to them', async () => {
    const taintsOf = async (name = ''): Promise<unknown> => {
      const node = await demo().inside((cluster) => cluster.get({ apiVersion: 'v1', kind: 'Node', name }));
      const { taints = [] } = node.spec as { taints?: { key: string; effect: string }[] };
      return taints.map(({ key, effect }) => `${key}:${effect}`).sort();
    };
    const [server = '', worker] = FIRST;
    // As after a run that has started its kubelet anew, and then failed.
    const open = { apiVersion: 'v1', kind: 'Node', metadata: { name: server }, spec: { taints: [] } };
    await demo().inside((cluster) => cluster.applyObject(open, { fieldManager: MANAGER, force: true }));
    const key = (await demo().find()).status?.sshPublicKey ?? '';
    const alive = FIRST.map((_, index) => `10.20.0.${10 + index}`);
    demo().platform.machines.set(alive, key);
    const tainted = demo()
      .specFor(MORE)
      .nodes.map((node) => ({
        ...node,
        ...(node.role === 'worker'
          ? { taints: [{ key: 'only', value: 'web', effect: 'PreferNoSchedule' as const }] }
          : {}),
      }));
    await demo().ensure({ ...demo().specFor(MORE), nodes: tainted });
    await eventually(
      async () => expect((await demo().find()).status?.failure).toMatchObject({ code: 'SshUnreachable' }),
      PATIENCE,
    );
    demo().platform.machines.set([...alive, '10.20.0.13'], key);
    await demo().untilReady();

    expect(await taintsOf(worker)).toEqual(['only:PreferNoSchedule']);
    // That of etcd evicts what runs: a look puts on what keeps new workloads off.
    expect(await taintsOf(server)).toEqual(['node-role.kubernetes.io/controlplane:NoSchedule']);
  });

  it('drops a node whose machine died before a run that could not reach it', async () => {
    await demo().giveMachines(MORE);
    const { status } = await demo().untilReady();
    const alive = FIRST.map((_, index) => `10.20.0.${10 + index}`);
    demo().platform.machines.set(alive, status?.sshPublicKey ?? '');
    const { nodes, ...spec } = (await demo().find()).spec;
    await demo().ensure({ ...spec, nodes: nodes.map((node) => ({ ...node, labels: { tier: 'web' } })) });
    await eventually(
      async () => expect((await demo().find()).status?.failure).toMatchObject({ code: 'SshUnreachable' }),
      PATIENCE,
    );

    await demo().giveMachines(FIRST);
    await demo().untilReady();
    expect((await demo().inside((cluster) => cluster.nodes())).map(({ name }) => name)).toEqual(FIRST);
  });

  it('notices by itself when a node falls ill and recovers', async () => {
    const { status } = await demo().find();
    const key = status?.sshPublicKey ?? '';
    demo().platform.machines.set(['10.20.0.10', '10.20.0.11'], key);
    await eventually(
      async () => expect(isConditionTrue((await demo().find()).status?.conditions, 'NodesReady')).toBe(false),
      PATIENCE,
    );

    demo().platform.machines.set(['10.20.0.10', '10.20.0.11', '10.20.0.12'], key);
    await demo().untilReady();
  });
}
