import { readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  isConditionTrue,
  type AddOn,
  type AddOnInstallation,
  type KubeObject,
  type KubernetesCluster,
  type Manifest,
  type PolicyReviewResponse,
  type StateDiff,
} from '@crate/api';
import { compileTemplate, memberTypesOf } from '@crate/cel';
import { HttpTargetCluster, loadAddOnPackages } from '@crate/kubernetes';
import { checkStructure } from '@crate/resource-server';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { ensureWorkspaceRoot } from './engine/rke/workspace-root.js';
import { aNode, BARE_SPEC, machineSpec } from './testing/builders.js';
import { makeServiceAccount, projectToken } from './testing/service-account.js';
import { TestPlatform } from './testing/test-platform.js';

const MANAGER = 'test';
const NAMESPACE = 'team-a';
const PATIENCE = { timeoutMs: 60_000 };
const ADD_ONS = fileURLToPath(new URL('../../../deploy/add-ons', import.meta.url));
const FIRST = ['demo-control-plane-0', 'demo-workers-0', 'demo-workers-1'];
const MORE = [...FIRST, 'demo-workers-2'];
const CONTEXT = { caller: { user: 'test', groups: [] }, traceId: '0'.repeat(32) };
const STATES = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'enginestateversions' };
jest.setTimeout(180_000);

interface Version {
  readonly spec: { readonly serial: number; readonly newest: boolean; readonly [field: string]: unknown };
}

/** The objects of an add-on as they are installed when a cluster states no values. */
function withDefaults({ valuesSchema = {}, manifests }: AddOn['spec']): Manifest[] {
  const { template } = compileTemplate(manifests, { name: 'values', members: memberTypesOf(valuesSchema) });
  return template.render(checkStructure({}, valuesSchema).body).result as Manifest[];
}

let platform: TestPlatform;
let service: ServiceHost;

beforeAll(async () => {
  platform = await TestPlatform.start();
  service = await platform.startService();
});
afterAll(() => platform.stop());

function specFor(names: readonly string[]): KubernetesCluster['spec'] {
  return { ...machineSpec(names), apiEndpoint: { host: '127.0.0.1', port: platform.apiPort } };
}

async function ensure(spec: KubernetesCluster['spec']): Promise<KubernetesCluster> {
  return platform.clusters(service).ensure({ metadata: { name: 'demo', namespace: NAMESPACE }, spec }, MANAGER);
}

async function find(): Promise<KubernetesCluster> {
  const found = await platform.clusters(service).find('demo', NAMESPACE);
  if (!found) throw new Error('The cluster is gone');
  return found;
}

/** Brings machines up with the cluster's key and tells the cluster about them. */
async function giveMachines(names: readonly string[], alsoRunning: readonly string[] = []): Promise<void> {
  const { status } = await eventually(async () => {
    const found = await find();
    expect(found.status?.sshPublicKey).toBeDefined();
    return found;
  }, PATIENCE);
  const all = [...new Set([...names, ...alsoRunning])];
  platform.machines.set(
    all.map((name) => aNode(name, MORE.indexOf(name)).address),
    status?.sshPublicKey ?? '',
  );
  const spec = specFor(names);
  await ensure({ ...spec, nodes: names.map((name) => aNode(name, MORE.indexOf(name))) });
}

function isReadyNow(object: KubeObject): boolean {
  const { conditions } = (object['status'] ?? {}) as NonNullable<KubernetesCluster['status']>;
  return isConditionTrue(conditions, 'Ready', object.metadata.generation);
}

async function untilReady(): Promise<KubernetesCluster> {
  return eventually(async () => {
    const found = await find();
    expect(found.status?.failure).toBeUndefined();
    expect(isReadyNow(found)).toBe(true);
    return found;
  }, PATIENCE);
}

/** What the cluster itself says, through the kubeconfig that people get. */
async function insideCluster<T>(look: (cluster: HttpTargetCluster) => Promise<T>): Promise<T> {
  const { api } = service.foundation;
  const ref = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters' };
  const kubeconfig = await api.readSubresource({ ...ref, namespace: NAMESPACE, name: 'demo' }, 'kubeconfig', CONTEXT);
  const cluster = new HttpTargetCluster(kubeconfig as string);
  try {
    return await look(cluster);
  } finally {
    await cluster.close();
  }
}

async function states(): Promise<readonly Version[]> {
  const options = { namespace: NAMESPACE, fieldSelector: 'spec.clusterRef.name=demo' };
  return (await service.foundation.api.list(STATES, options, CONTEXT)).items as unknown as Version[];
}

async function diff(from: number, to: number): Promise<readonly string[]> {
  const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${from}` };
  const write = { verb: 'create', body: { from: to } } as const;
  const found = (await service.foundation.api.writeSubresource(ref, 'diff', write, CONTEXT)) as StateDiff;
  return found.resources.map(({ address, action }) => `${address} ${action}`);
}

async function restore(serial: number): Promise<unknown> {
  const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${serial}` };
  const write = { verb: 'create', body: { reason: 'INC-7' } } as const;
  return service.foundation.api.writeSubresource(ref, 'restore', write, CONTEXT);
}

async function damagedStates(): Promise<readonly string[]> {
  const lines = (await service.foundation.metrics.text()).split('\n');
  return lines
    .map((line) => /^crate_damaged_states\{.*reason="(\w+)".*\} (\d+)$/.exec(line))
    .flatMap((found) => (found ? [`${found[1]} ${found[2]}`] : []))
    .sort();
}

async function lookAgain(): Promise<void> {
  await service.foundation.queue.enqueue('kubernetes-cluster', [{ namespace: NAMESPACE, name: 'demo' }]);
}

async function untilIdle(): Promise<void> {
  const { queue } = service.foundation;
  await lookAgain();
  await eventually(
    async () => expect(await queue.depth('kubernetes-cluster')).toEqual({ due: 0, leased: 0 }),
    PATIENCE,
  );
}

async function count(sql: string): Promise<number> {
  return (await service.foundation.database.firstRow<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))?.n ?? -1;
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
    await ensure(BARE_SPEC);
    await giveMachines(FIRST);
    const ready = await untilReady();

    expect(ready.status?.nodes?.map(({ name, ready: isReady }) => `${name} ${isReady}`)).toEqual(
      FIRST.map((name) => `${name} true`),
    );
    expect(ready.status?.apiEndpoint).toBe(`https://127.0.0.1:${platform.apiPort}`);
    expect(platform.reviews.map(({ stage }) => stage)).toEqual(['EngineConfig']);
    const nodes = await insideCluster((cluster) => cluster.nodes());
    expect(nodes.map(({ name, role }) => `${name} ${role}`)).toEqual([
      'demo-control-plane-0 control-plane',
      'demo-workers-0 worker',
      'demo-workers-1 worker',
    ]);
  });

  it('is left alone once it is settled', async () => {
    const { resourceVersion } = (await find()).metadata;
    const { queue } = service.foundation;
    await queue.enqueue('kubernetes-cluster', [{ namespace: NAMESPACE, name: 'demo' }]);
    await eventually(
      async () => expect(await queue.depth('kubernetes-cluster')).toEqual({ due: 0, leased: 0 }),
      PATIENCE,
    );

    expect((await find()).metadata.resourceVersion).toBe(resourceVersion);
    expect(await count('engine_runs')).toBe(1);
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
      await platform.installations(service).ensure(draft, MANAGER);
      await eventually(async () => {
        const found = await platform.installations(service).find(draft.metadata.name, NAMESPACE);
        expect(found?.status?.failure).toBeUndefined();
        expect(found && isReadyNow(found)).toBe(true);
      }, PATIENCE);
    }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'crate-addons', name: 'docs' };

    expect(await insideCluster((cluster) => cluster.get(deployment))).toMatchObject({
      status: { availableReplicas: 2 },
    });
    const judged = platform.reviews.filter(({ stage }) => stage === 'Manifest').map(({ document }) => document);
    expect(judged).toEqual(expect.arrayContaining([...applied]));
  });

  it('lets nothing of an add-on in that policy denies, until policy allows it', async () => {
    const pages = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'denied', namespace: 'default' } };
    const draft = {
      metadata: { name: 'demo-denied', namespace: NAMESPACE },
      spec: { clusterRef: { name: 'demo' }, addOn: 'denied', version: '1.0.0', manifests: [pages] },
    };
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'denied', namespace: 'default' };
    platform.verdict = DENIED;
    await platform.installations(service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await platform.installations(service).find('demo-denied', NAMESPACE);
      expect(found?.status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'spec.kubernetes.engine' });
      expect(found?.status?.failure?.message).toContain('ConfigMap default/denied');
    }, PATIENCE);
    expect(await insideCluster((cluster) => cluster.find(ref))).toBeUndefined();

    platform.verdict = { allowed: true, violations: [] };
    const { queue } = service.foundation;
    await queue.enqueue('add-on-installation', [{ namespace: NAMESPACE, name: 'demo-denied' }]);
    await eventually(async () => expect(await insideCluster((cluster) => cluster.find(ref))).toBeDefined(), PATIENCE);
    await platform.installations(service).remove('demo-denied', NAMESPACE);
    await eventually(async () => {
      expect(await platform.installations(service).find('demo-denied', NAMESPACE)).toBeUndefined();
    }, PATIENCE);
    expect(await insideCluster((cluster) => cluster.find(ref))).toBeUndefined();
  });

  it('finds no drift where there is none, and puts back what somebody removed', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'crate-addons', name: 'docs-pages' };
    const { queue } = service.foundation;
    const look = async (): Promise<void> => {
      await queue.enqueue('add-on-installation', [{ namespace: NAMESPACE, name: 'demo-docs' }]);
      await eventually(
        async () => expect(await queue.depth('add-on-installation')).toEqual({ due: 0, leased: 0 }),
        PATIENCE,
      );
    };
    const before = await insideCluster((cluster) => cluster.get(ref));
    await look();
    expect(platform.logger.lines.filter(({ message }) => message === 'Correcting drift')).toEqual([]);
    expect((await insideCluster((cluster) => cluster.get(ref))).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );

    await insideCluster((cluster) => cluster.remove(ref));
    await look();
    await eventually(() => insideCluster((cluster) => cluster.get(ref)), PATIENCE);
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
    await platform.installations(service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await platform.installations(service).find('demo-widgets', NAMESPACE);
      expect(found && isReadyNow(found)).toBe(true);
    }, PATIENCE);
    const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'big' };
    expect(await insideCluster((cluster) => cluster.get(ref))).toMatchObject({ spec: { size: 3 } });

    await platform.installations(service).remove('demo-widgets', NAMESPACE);
    await eventually(async () => {
      expect(await platform.installations(service).find('demo-widgets', NAMESPACE)).toBeUndefined();
    }, PATIENCE);
    expect(await insideCluster((cluster) => cluster.find(ref))).toBeUndefined();
  });

  it('grows by a node', async () => {
    await giveMachines(MORE);
    expect((await untilReady()).status?.nodes).toHaveLength(4);
  });

  it('drains and drops a node that is no longer asked for', async () => {
    await giveMachines(FIRST, MORE);
    await untilReady();

    expect((await insideCluster((cluster) => cluster.nodes())).map(({ name }) => name)).toEqual(FIRST);
  });

  it('notices by itself when a node falls ill and recovers', async () => {
    const { status } = await find();
    const key = status?.sshPublicKey ?? '';
    platform.machines.set(['10.20.0.10', '10.20.0.11'], key);
    await eventually(
      async () => expect(isConditionTrue((await find()).status?.conditions, 'NodesReady')).toBe(false),
      PATIENCE,
    );

    platform.machines.set(['10.20.0.10', '10.20.0.11', '10.20.0.12'], key);
    await untilReady();
  });

  it('is taken over by another replica without another run of the engine', async () => {
    const runs = await count('engine_runs');
    await platform.stopService(service);
    service = await platform.startService();
    const { queue } = service.foundation;
    await queue.enqueue('kubernetes-cluster', [{ namespace: NAMESPACE, name: 'demo' }]);
    await eventually(
      async () => expect(await queue.depth('kubernetes-cluster')).toEqual({ due: 0, leased: 0 }),
      PATIENCE,
    );

    expect(await count('engine_runs')).toBe(runs);
  });

  it('goes on where a killed engine left off', async () => {
    await platform.writeRke('[ -e "$0.killed" ] || { touch "$0.killed"; kill -9 $$; }');
    await giveMachines(MORE);
    await untilReady();
    await platform.writeRke();

    expect((await find()).status?.nodes).toHaveLength(4);
    expect(await count(`engine_runs WHERE state = 'failed'`)).toBe(1);
  });

  it('goes back to an older state of its engine: the engine runs with it, and the same cluster comes out', async () => {
    const authority = async (): Promise<unknown> => (await states()).map(({ spec }) => spec['lineage'])[0];
    const [newest, ...older] = (await states()).map(({ spec }) => spec.serial);
    const fewer = (await states()).find(({ spec }) => spec['nodes'] === 3)!.spec.serial;
    const [lineage, runs] = [await authority(), await count(`engine_runs WHERE kind = 'up'`)];
    expect(older).toContain(fewer);
    expect(await diff(newest!, fewer)).toContain('node.demo-workers-2 added');

    expect(await restore(fewer)).toMatchObject({ spec: { serial: newest! + 1, restoredFrom: fewer, nodes: 3 } });
    await eventually(async () => expect((await find()).status?.stateSerial).toBeGreaterThan(newest! + 1), PATIENCE);
    await untilReady();
    expect(await authority()).toBe(lineage);
    const [{ spec }] = (await states()) as [Version];
    expect([spec['nodes'], spec.newest]).toEqual([4, true]);
    expect(await insideCluster((cluster) => cluster.nodes())).toHaveLength(4);
    await untilIdle();
    expect(await count(`engine_runs WHERE kind = 'up'`)).toBe(runs + 1);
  });

  it('names versions of its engine state that were taken away, runs on none, and goes on with what a person restores', async () => {
    const [newest, before] = (await states()).map(({ spec }) => spec.serial);
    const { metadata } = await find();
    await service.foundation.database.execute('DELETE FROM secret_versions WHERE owner_uid = $1 AND serial = $2', [
      metadata.uid,
      newest,
    ]);
    const runs = await count('engine_runs');
    await lookAgain();
    await eventually(async () => {
      expect((await find()).status?.failure).toMatchObject({
        code: 'StateRolledBack',
        remedy: expect.stringContaining('crate state restore --engine') as unknown,
      });
    }, PATIENCE);
    expect(await count('engine_runs')).toBe(runs);
    // What the alert of deploy/prometheus/alerts/states.yaml looks at.
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 1', 'StateTampered 0']);

    await restore(before!);
    expect((await untilReady()).status?.stateSerial).toBeGreaterThan(newest!);
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 0', 'StateTampered 0']);
    const events = await service.foundation.events.api.list(
      { group: '', version: 'v1', plural: 'events' },
      { namespace: NAMESPACE },
      CONTEXT,
    );
    expect(events.items.filter((event) => event['reason'] === 'StateRestored')).toHaveLength(2);
  });

  it('tells why policy denies it, and converges once policy allows it', async () => {
    platform.verdict = DENIED;
    await giveMachines(FIRST, MORE);
    await eventually(async () => {
      expect((await find()).status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'spec.kubernetes.engine' });
    }, PATIENCE);

    platform.verdict = { allowed: true, violations: [] };
    await service.foundation.queue.enqueue('kubernetes-cluster', [{ namespace: NAMESPACE, name: 'demo' }]);
    await untilReady();
  });

  describe('that is the one which the service runs in', () => {
    const OWN = { name: 'own', namespace: NAMESPACE };
    const KINDS = ['Namespace', 'ConfigMap', 'Service', 'ServiceAccount', 'Node'];
    const HELLO = { apiVersion: 'v1', kind: 'ConfigMap', name: 'hello', namespace: 'greeter' };
    let before: readonly string[];

    /** Everything that is there, as it is. */
    async function contents(): Promise<readonly string[]> {
      const lists = await insideCluster((cluster) => Promise.all(KINDS.map((kind) => cluster.list('v1', kind))));
      return lists
        .flatMap(({ items }) => items)
        .map(({ kind, metadata, data }) =>
          JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid, data]),
        )
        .sort();
    }

    async function own(): Promise<KubernetesCluster | undefined> {
      return platform.clusters(service).find(OWN.name, NAMESPACE);
    }

    function greeter(version: string, ...manifests: Manifest[]): AddOnInstallation['spec'] {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'greeter' } };
      return { clusterRef: { name: OWN.name }, addOn: 'greeter', version, manifests: [namespace, ...manifests] };
    }

    function text(name: string, said: string, namespace = 'greeter'): Manifest {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { said } };
    }

    async function install(name: string, spec: AddOnInstallation['spec']): Promise<void> {
      await platform.installations(service).ensure({ metadata: { name, namespace: NAMESPACE }, spec }, MANAGER);
    }

    async function installation(name: string): Promise<AddOnInstallation | undefined> {
      return platform.installations(service).find(name, NAMESPACE);
    }

    async function untilInstalled(name: string, version: string): Promise<void> {
      await eventually(async () => {
        const found = await installation(name);
        expect(found?.status?.version).toBe(version);
        expect(found && isReadyNow(found)).toBe(true);
      }, PATIENCE);
    }

    async function adminKubeconfig(): Promise<string> {
      const ref = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters' };
      const place = { ...ref, namespace: NAMESPACE, name: 'demo' };
      return (await service.foundation.api.readSubresource(place, 'kubeconfig', CONTEXT)) as string;
    }

    async function pass(reconciler: string, name: string): Promise<void> {
      const { queue } = service.foundation;
      await queue.enqueue(reconciler, [{ namespace: NAMESPACE, name }]);
      await eventually(async () => expect(await queue.depth(reconciler)).toEqual({ due: 0, leased: 0 }), PATIENCE);
    }

    it('waits for its credentials, and then shows the version and the nodes that are there', async () => {
      await insideCluster(makeServiceAccount);
      await insideCluster((cluster) =>
        cluster.applyObject(text('theirs', 'hands off', 'default'), { fieldManager: 'kubectl' }),
      );
      before = await contents();
      const spec: KubernetesCluster['spec'] = { engine: 'existing', clusterName: OWN.name, nodes: [] };
      await platform.clusters(service).ensure({ metadata: OWN, spec }, MANAGER);
      await eventually(async () => {
        const ready = (await own())?.status?.conditions?.find(({ type }) => type === 'Ready');
        expect(ready?.message).toContain('credentials for the cluster cannot be read');
      }, PATIENCE);

      await projectToken(platform, await adminKubeconfig());
      const seen = await eventually(async () => {
        const found = await own();
        expect(found && isReadyNow(found)).toBe(true);
        return found;
      }, PATIENCE);
      expect([seen?.status?.version, seen?.status?.nodes]).toEqual([
        (await find()).status?.version,
        (await find()).status?.nodes,
      ]);
      expect(await count(`engine_runs WHERE cluster_uid = '${seen?.metadata.uid}'`)).toBe(0);
    });

    it('gets, upgrades and keeps add-ons with no more rights than the chart gives', async () => {
      await install('own-greeter', greeter('1.0.0', text('hello', 'hello'), text('bye', 'bye')));
      await untilInstalled('own-greeter', '1.0.0');
      await install('own-greeter', greeter('2.0.0', text('hello', 'good morning')));
      await untilInstalled('own-greeter', '2.0.0');
      expect(await insideCluster((cluster) => cluster.find({ ...HELLO, name: 'bye' }))).toBeUndefined();

      await insideCluster((cluster) => cluster.remove(HELLO));
      await pass('add-on-installation', 'own-greeter');
      expect(await insideCluster((cluster) => cluster.get(HELLO))).toMatchObject({ data: { said: 'good morning' } });
    });

    it('is left alone once it is settled', async () => {
      const revision = await service.foundation.store.currentRevision();
      const there = await contents();
      await pass('kubernetes-cluster', OWN.name);
      await pass('add-on-installation', 'own-greeter');
      expect(await service.foundation.store.currentRevision()).toBe(revision);
      expect(await contents()).toEqual(there);
    });

    it('is looked after with the token of the hour, without a restart', async () => {
      await writeFile(platform.serviceAccount.tokenFile, 'one that has ended');
      await insideCluster((cluster) => cluster.remove(HELLO));
      await pass('add-on-installation', 'own-greeter');
      expect((await installation('own-greeter'))?.status?.failure).toMatchObject({ code: 'CredentialsRejected' });
      await projectToken(platform, await adminKubeconfig());
      await pass('add-on-installation', 'own-greeter');
      await untilInstalled('own-greeter', '2.0.0');
      expect(await insideCluster((cluster) => cluster.get(HELLO))).toMatchObject({ data: { said: 'good morning' } });
    });

    it('loses nothing of what others put there to an add-on', async () => {
      await install('own-greedy', greeter('1.0.0', text('theirs', 'mine now', 'default')));
      await eventually(async () => {
        expect((await installation('own-greedy'))?.status?.failure).toMatchObject({ code: 'ObjectExists' });
      }, PATIENCE);
      const theirs = { ...HELLO, name: 'theirs', namespace: 'default' };
      expect(await insideCluster((cluster) => cluster.get(theirs))).toMatchObject({ data: { said: 'hands off' } });
    });

    it('is let go of when its add-ons are gone, and is then as it was', async () => {
      await platform.clusters(service).remove(OWN.name, NAMESPACE);
      await pass('kubernetes-cluster', OWN.name);
      expect((await own())?.status?.deletion?.blockers.map(({ reason }) => reason)).toEqual(['AddOnLeft', 'AddOnLeft']);
      for (const name of ['own-greedy', 'own-greeter']) await platform.installations(service).remove(name, NAMESPACE);
      await eventually(async () => expect(await own()).toBeUndefined(), PATIENCE);
      expect(await contents()).toEqual(before);
      expect(isReadyNow(await find())).toBe(true);
    });
  });

  it('takes add-ons and cluster away and leaves nothing behind', async () => {
    const removeInstallation = async (name: string): Promise<void> => {
      await platform.installations(service).remove(name, NAMESPACE);
      await eventually(async () => {
        expect(await platform.installations(service).find(name, NAMESPACE)).toBeUndefined();
      }, PATIENCE);
    };
    await removeInstallation('demo-docs');
    await removeInstallation('demo-baseline');
    const namespaces = await insideCluster((cluster) => cluster.list('v1', 'Namespace'));
    expect(namespaces.items.map(({ metadata }) => metadata.name)).not.toContain('crate-addons');

    await platform.clusters(service).remove('demo', NAMESPACE);
    await eventually(() => expect(find()).rejects.toThrow('gone'), PATIENCE);
    expect(await count('engine_runs')).toBe(0);
    expect(await count('secret_versions')).toBe(0);
    expect(await service.foundation.secrets.countOwners()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it('is removed though its machines are gone', async () => {
    await ensure(BARE_SPEC);
    await eventually(async () => expect((await find()).status?.sshPublicKey).toBeDefined(), PATIENCE);
    platform.machines.set([], 'ssh-ed25519 AAAA none');
    await ensure(specFor(FIRST));
    await eventually(async () => {
      expect((await find()).status?.failure).toMatchObject({ code: 'SshUnreachable', field: 'spec.nodes' });
    }, PATIENCE);
    await ensure({ ...specFor([]), nodes: [] });
    await platform.clusters(service).remove('demo', NAMESPACE);

    await eventually(() => expect(find()).rejects.toThrow('gone'), PATIENCE);
  });
});

/** Folders that engine runs left. */
async function leftovers(): Promise<string[]> {
  return readdir(await ensureWorkspaceRoot(platform.workspacesDir));
}
