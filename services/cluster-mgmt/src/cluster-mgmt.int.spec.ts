import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  findCondition,
  isConditionTrue,
  type AddOn,
  type KubeObject,
  type Manifest,
  type PolicyReviewResponse,
  type StateDiff,
} from '@crate/api';
import { compileTemplate, memberTypesOf } from '@crate/cel';
import { applyManifests, loadAddOnPackages } from '@crate/kubernetes';
import { checkStructure } from '@crate/resource-server';
import { eventually } from '@crate/testing';
import { ensureWorkspaceRoot } from './engine/rke/workspace-root.js';
import { BARE_SPEC } from './testing/builders.js';
import { CONTEXT, DemoCluster, FIRST, isReadyNow, MANAGER, MORE, NAMESPACE, PATIENCE } from './testing/demo-cluster.js';
import { inCluster } from './testing/in-cluster.cases.js';

const ADD_ONS = fileURLToPath(new URL('../../../deploy/add-ons', import.meta.url));
const STATES = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'enginestateversions' };
jest.setTimeout(180_000);

interface Version {
  readonly spec: { readonly serial: number; readonly newest: boolean; readonly [field: string]: unknown };
}

/** What lifecycle says of a cluster. */
const FACTS = {
  ...{ name: 'demo', project: 'team-a', uid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11', provider: 'aws' },
  ...{ region: 'us-east-1', account: 'main', kubernetesVersion: 'v1.31.4', cloudId: 'demo-1723af96' },
};
const VARIABLE = { name: 'cluster', members: Object.fromEntries(Object.keys(FACTS).map((name) => [name, 'string'])) };

/** The objects of an add-on as they are installed when a cluster states no values. */
function withDefaults({ valuesSchema = {}, manifests }: AddOn['spec']): Manifest[] {
  const values = { name: 'values', members: memberTypesOf(valuesSchema) };
  const { template } = compileTemplate(manifests, values, [VARIABLE]);
  return template.render(checkStructure({}, valuesSchema).body, { cluster: FACTS }).result as Manifest[];
}

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

let demo: DemoCluster;
beforeAll(async () => {
  demo = await DemoCluster.start();
});
afterAll(async () => demo.stop());

async function podsOn(node: string): Promise<readonly KubeObject[]> {
  const pods = await demo.inside((cluster) => cluster.list('v1', 'Pod', { namespace: 'default' }));
  return pods.items.filter(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === node);
}

async function states(): Promise<readonly Version[]> {
  const options = { namespace: NAMESPACE, fieldSelector: 'spec.clusterRef.name=demo' };
  return (await demo.service.foundation.api.list(STATES, options, CONTEXT)).items as unknown as Version[];
}

async function diff(from: number, to: number): Promise<readonly string[]> {
  const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${from}` };
  const write = { verb: 'create', body: { from: to } } as const;
  const found = (await demo.service.foundation.api.writeSubresource(ref, 'diff', write, CONTEXT)) as StateDiff;
  return found.resources.map(({ address, action }) => `${address} ${action}`);
}

async function restore(serial: number): Promise<unknown> {
  const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${serial}` };
  const write = { verb: 'create', body: { reason: 'INC-7' } } as const;
  return demo.service.foundation.api.writeSubresource(ref, 'restore', write, CONTEXT);
}

async function damagedStates(): Promise<readonly string[]> {
  const lines = (await demo.service.foundation.metrics.text()).split('\n');
  return lines
    .map((line) => /^crate_damaged_states\{.*reason="(\w+)".*\} (\d+)$/.exec(line))
    .flatMap((found) => (found ? [`${found[1]} ${found[2]}`] : []))
    .sort();
}

const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      policy: 'rke-audit-log',
      level: 'must',
      severity: 'high',
      effect: 'deny',
      title: 'The API server writes an audit log',
      field: 'spec.kubernetes.engine',
      message: 'Nobody will know',
      remedy: 'Enable it',
      references: [],
    },
  ],
};

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

  it('installs the add-ons that are shipped, the one after the other', async () => {
    const applied: unknown[] = [];
    for (const { metadata, spec } of await loadAddOnPackages(ADD_ONS)) {
      const manifests = withDefaults(spec);
      applied.push(...manifests);
      const draft = {
        metadata: { name: `demo-${metadata.name}`, namespace: NAMESPACE },
        spec: { clusterRef: { name: 'demo' }, addOn: metadata.name, version: spec.version, manifests },
      };
      await demo.platform.installations(demo.service).ensure(draft, MANAGER);
      await eventually(async () => {
        const found = await demo.installation(draft.metadata.name);
        expect(found?.status?.failure).toBeUndefined();
        expect(found && isReadyNow(found)).toBe(true);
      }, PATIENCE);
    }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'crate-addons', name: 'docs' };

    expect(await demo.inside((cluster) => cluster.get(deployment))).toMatchObject({
      status: { availableReplicas: 2 },
    });
    const judged = demo.platform.reviews.filter(({ stage }) => stage === 'Manifest').map(({ document }) => document);
    expect(judged).toEqual(expect.arrayContaining([...applied]));
  });

  it('lets nothing of an add-on in that policy denies, until policy allows it', async () => {
    const pages = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'denied', namespace: 'default' } };
    const draft = {
      metadata: { name: 'demo-denied', namespace: NAMESPACE },
      spec: { clusterRef: { name: 'demo' }, addOn: 'denied', version: '1.0.0', manifests: [pages] },
    };
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'denied', namespace: 'default' };
    demo.platform.verdict = DENIED;
    await demo.platform.installations(demo.service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await demo.installation('demo-denied');
      expect(found?.status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'spec.kubernetes.engine' });
      expect(found?.status?.failure?.message).toContain('ConfigMap default/denied');
    }, PATIENCE);
    expect(await demo.inside((cluster) => cluster.find(ref))).toBeUndefined();

    demo.platform.verdict = { allowed: true, violations: [] };
    await demo.enqueue('add-on-installation', 'demo-denied');
    await eventually(async () => expect(await demo.inside((cluster) => cluster.find(ref))).toBeDefined(), PATIENCE);
    await demo.platform.installations(demo.service).remove('demo-denied', NAMESPACE);
    await eventually(async () => {
      expect(await demo.installation('demo-denied')).toBeUndefined();
    }, PATIENCE);
    expect(await demo.inside((cluster) => cluster.find(ref))).toBeUndefined();
  });

  it('finds no drift where there is none, and puts back what somebody removed', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'crate-addons', name: 'docs-pages' };
    const look = (): Promise<void> => demo.pass('add-on-installation', 'demo-docs');
    const before = await demo.inside((cluster) => cluster.get(ref));
    await look();
    expect(demo.platform.logger.lines.filter(({ message }) => message === 'Correcting drift')).toEqual([]);
    expect((await demo.inside((cluster) => cluster.get(ref))).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );

    await demo.inside((cluster) => cluster.remove(ref));
    await look();
    await eventually(() => demo.inside((cluster) => cluster.get(ref)), PATIENCE);
  });

  it('installs a kind together with its first object, and takes both away', async () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'big' }, spec: { size: 3 } };
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
      },
    };
    const widgets = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const draft = {
      metadata: { name: 'demo-widgets', namespace: NAMESPACE },
      spec: { clusterRef: { name: 'demo' }, addOn: 'widgets', version: '1.0.0', manifests: [widget, widgets] },
    };
    await demo.platform.installations(demo.service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await demo.installation('demo-widgets');
      expect(found && isReadyNow(found)).toBe(true);
    }, PATIENCE);
    const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'big' };
    expect(await demo.inside((cluster) => cluster.get(ref))).toMatchObject({ spec: { size: 3 } });

    await demo.platform.installations(demo.service).remove('demo-widgets', NAMESPACE);
    await eventually(async () => {
      expect(await demo.installation('demo-widgets')).toBeUndefined();
    }, PATIENCE);
    expect(await demo.inside((cluster) => cluster.find(ref))).toBeUndefined();
  });

  it('grows by a node', async () => {
    await demo.giveMachines(MORE);
    expect((await demo.untilReady()).status?.nodes).toHaveLength(4);
  });

  it('drains a node that is no longer asked for, as its budgets allow, and then drops it', async () => {
    const applying = { fieldManager: MANAGER, signal: new AbortController().signal };
    const pod = async (): Promise<string | undefined> => (await podsOn('demo-workers-2'))[0]?.metadata.name;
    await demo.inside((cluster) => applyManifests(cluster, heldOn('demo-workers-2'), applying));
    await eventually(async () => expect(await pod()).toBeDefined(), PATIENCE);
    const runs = await demo.count('engine_runs');
    await demo.giveMachines(FIRST, MORE);
    await eventually(async () => {
      const ready = findCondition((await demo.find()).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ reason: 'WaitingForNodesToLeave' });
      expect(ready?.message).toContain('Draining demo-workers-2: pods may not go yet: default/held-');
    }, PATIENCE);
    expect(await pod()).toBeDefined();
    expect(await demo.count('engine_runs')).toBe(runs);

    await demo.inside((cluster) => cluster.remove({ ...BUDGET, name: 'held', namespace: 'default' }));
    await demo.untilReady();
    expect((await demo.inside((cluster) => cluster.nodes())).map(({ name }) => name)).toEqual(FIRST);
    expect(await demo.count('engine_runs')).toBe(runs + 1);
    await demo.inside((cluster) => cluster.remove({ ...DEPLOYMENT, name: 'held', namespace: 'default' }));
  });

  it('drops a node whose machine died before a run that could not reach it', async () => {
    await demo.giveMachines(MORE);
    const { status } = await demo.untilReady();
    const alive = FIRST.map((_, index) => `10.20.0.${10 + index}`);
    demo.platform.machines.set(alive, status?.sshPublicKey ?? '');
    const { nodes, ...spec } = (await demo.find()).spec;
    await demo.ensure({ ...spec, nodes: nodes.map((node) => ({ ...node, labels: { tier: 'web' } })) });
    await eventually(
      async () => expect((await demo.find()).status?.failure).toMatchObject({ code: 'SshUnreachable' }),
      PATIENCE,
    );

    await demo.giveMachines(FIRST);
    await demo.untilReady();
    expect((await demo.inside((cluster) => cluster.nodes())).map(({ name }) => name)).toEqual(FIRST);
  });

  it('notices by itself when a node falls ill and recovers', async () => {
    const { status } = await demo.find();
    const key = status?.sshPublicKey ?? '';
    demo.platform.machines.set(['10.20.0.10', '10.20.0.11'], key);
    await eventually(
      async () => expect(isConditionTrue((await demo.find()).status?.conditions, 'NodesReady')).toBe(false),
      PATIENCE,
    );

    demo.platform.machines.set(['10.20.0.10', '10.20.0.11', '10.20.0.12'], key);
    await demo.untilReady();
  });

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

  it('goes back to an older state of its engine: the engine runs with it, and the same cluster comes out', async () => {
    const authority = async (): Promise<unknown> => (await states()).map(({ spec }) => spec['lineage'])[0];
    const [newest, ...older] = (await states()).map(({ spec }) => spec.serial);
    const fewer = (await states()).find(({ spec }) => spec['nodes'] === 3)!.spec.serial;
    const lineage = await authority();
    expect(older).toContain(fewer);
    expect(await diff(newest!, fewer)).toContain('node.demo-workers-2 added');

    expect(await restore(fewer)).toMatchObject({ spec: { serial: newest! + 1, restoredFrom: fewer, nodes: 3 } });
    await eventually(
      async () => expect((await demo.find()).status?.stateSerial).toBeGreaterThan(newest! + 1),
      PATIENCE,
    );
    await demo.untilReady();
    expect(await authority()).toBe(lineage);
    const [{ spec }] = (await states()) as [Version];
    expect([spec['nodes'], spec.newest]).toEqual([4, true]);
    expect(await demo.inside((cluster) => cluster.nodes())).toHaveLength(4);
    await demo.pass();
    const edited = `(SELECT max(started_at) FROM engine_runs WHERE kind = 'edit')`;
    expect(await demo.count(`engine_runs WHERE kind = 'up' AND started_at > ${edited}`)).toBe(1);
  });

  it('names versions of its engine state that were taken away, runs on none, and goes on with what a person restores', async () => {
    const [newest, before] = (await states()).map(({ spec }) => spec.serial);
    const { metadata } = await demo.find();
    await demo.service.foundation.database.execute('DELETE FROM secret_versions WHERE owner_uid = $1 AND serial = $2', [
      metadata.uid,
      newest,
    ]);
    const runs = await demo.count('engine_runs');
    await demo.enqueue('kubernetes-cluster', 'demo');
    await eventually(async () => {
      expect((await demo.find()).status?.failure).toMatchObject({
        code: 'StateRolledBack',
        remedy: expect.stringContaining('crate state restore --engine') as unknown,
      });
    }, PATIENCE);
    expect(await demo.count('engine_runs')).toBe(runs);
    // What the alert of deploy/prometheus/alerts/states.yaml looks at.
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 1', 'StateTampered 0']);

    await restore(before!);
    expect((await demo.untilReady()).status?.stateSerial).toBeGreaterThan(newest!);
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 0', 'StateTampered 0']);
    const events = await demo.service.foundation.events.api.list(
      { group: '', version: 'v1', plural: 'events' },
      { namespace: NAMESPACE },
      CONTEXT,
    );
    expect(events.items.filter((event) => event['reason'] === 'StateRestored')).toHaveLength(2);
  });

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
