import { describe, expect, it } from '@jest/globals';
import { aCloudObject, anObject, aRun, aWorld, EVENTS, madeByCluster, TARGET } from '../testing/a-world.js';
import type { KubeObject } from '../world/kube-object.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const CLUSTER = aWorld().clusters[0] ?? anObject('Cluster');
const SPAN = { from: 0, to: 7, events: EVENTS, isForgotten: false };
const STATE = { owner: 'Infrastructure-1', lineage: 'one', substance: 'b', resources: [] };
const waiting = { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'False', reason: '', message: '' }] };

function watched(span: Partial<typeof SPAN>): Pick<World, 'watched'> {
  return { watched: [{ watcher: 'client 1', kind: 'Cluster', spans: [{ ...SPAN, ...span }], wanted: 7 }] };
}

const LEFT = aCloudObject({ id: 'i-9', tags: { 'crate.dev/infrastructure-uid': 'gone' } });

interface GivenUp {
  readonly abandoned: readonly string[];
  readonly forced?: object | undefined;
}

function aDeletionRecord(what: GivenUp): KubeObject {
  const { abandoned, forced } = { forced: { by: 'admin', reason: 'it is' }, ...what };
  const proof = { abandoned: abandoned.map((name) => ({ kind: 'aws_instance', name })) };
  return anObject('DeletionRecord', { spec: { infrastructure: { uid: 'gone' }, forced, proof } });
}

const approved: Partial<World> = {
  acknowledged: [
    ...aWorld().acknowledged,
    { what: 'approved', kind: 'Plan', uid: 'Plan-1', name: 'grow', revision: 9, spec: {} },
  ],
};

function aPlan(reason: string): KubeObject {
  const plan = anObject('Plan', { spec: { changes: { nodePools: [{ name: 'workers', replicas: 5 }] } } });
  return {
    ...plan,
    metadata: { ...plan.metadata, name: 'grow' },
    status: {
      conditions: [{ type: 'Ready', status: 'False', reason }],
      basis: { clusterUid: 'Cluster-1' },
      execution: { generation: 1 },
    },
  };
}

const [ACCOUNT = anObject('CloudAccount')] = aWorld().accounts;

interface Swap {
  /** Of the newest change in the log. */
  readonly last: string;
  readonly told: string;
  readonly accessKeyId: string;
}

/** An account as it is now, and as its last write was acknowledged, by the fingerprints of their credentials. */
function swapped(inUse: string, changes: Partial<Swap> = {}): Partial<World> {
  const { last = inUse } = changes;
  const { told = last, accessKeyId = 'AKIAONE' } = changes;
  const of = (credentialsFingerprint: string): KubeObject => ({ ...ACCOUNT, spec: { credentialsFingerprint } });
  const { metadata } = ACCOUNT;
  const change = { type: 'MODIFIED' as const, kind: 'CloudAccount', uid: metadata.uid };
  const writes = [told, ...(last === told ? [] : [last])].map((each, index) => ({
    ...change,
    revision: 8 + index,
    object: of(each),
  }));
  const entry = { what: 'stored' as const, kind: 'CloudAccount', uid: metadata.uid, name: metadata.name, revision: 8 };
  return {
    accounts: [of(inUse)],
    changes: { ...aWorld().changes, CloudAccount: writes },
    acknowledged: [{ ...entry, spec: of(told).spec ?? {}, accessKeyId }],
  };
}

/** Version 3 of a state, of which somebody was told that it is version 2, put in place again. */
function restored(version: Partial<World['states'][number]> | undefined): Partial<World> {
  const { states } = aWorld();
  const entry = { what: 'restored' as const, kind: 'StateVersion', uid: 'v3', name: 'demo.3', revision: NaN };
  const before = states[1]!;
  const stored = version ? [{ ...before, version: 3, serial: 5, ...version }] : [];
  return {
    states: [...states, ...stored],
    acknowledged: [{ ...entry, owner: before.owner, spec: { serial: 3, restoredFrom: 2 } }],
  };
}

/** A cluster whose workloads have a load balancer and a volume, and what is left of that in the cloud. */
function exposed(...left: readonly string[]): Partial<World> {
  const { acknowledged, cloud } = aWorld();
  const entries = acknowledged.map((entry) => ({ ...entry, what: 'exposed' as const }));
  return { acknowledged: entries, cloud: [...cloud, ...left.map((type) => madeByCluster(type))] };
}

interface Row {
  readonly reason: string;
  readonly planted: Partial<World>;
  readonly invariant: string;
  readonly message: RegExp;
}

/** A cluster that says Ready, with this in it. */
function inTheCluster(rows: readonly (readonly [string, World['targets'][string], RegExp])[]): readonly Row[] {
  return rows.map(([reason, target, message]) => ({
    reason: `a Ready cluster with ${reason}`,
    planted: { targets: { 'KubernetesCluster-1': target } },
    invariant: 'no status contradicts the world',
    message,
  }));
}

describe('what must hold', () => {
  it('holds in a world in which everything is right', () => {
    expect(judge(aWorld())).toEqual([]);
  });

  it.each<Row>([
    {
      reason: 'a cloud object that the state does not know',
      planted: { cloud: [...aWorld().cloud, aCloudObject({ type: 'aws_vpc', id: 'vpc-9' })] },
      invariant: 'no orphans',
      message: /vpc-9.*newest state/,
    },
    {
      reason: 'a cloud object whose record is gone',
      planted: {
        cloud: [...aWorld().cloud, aCloudObject({ id: 'i-9', tags: { 'crate.dev/infrastructure-uid': 'gone' } })],
      },
      invariant: 'no orphans',
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a cloud object that an older state knew, and the newest does not',
      planted: { states: [...aWorld().states, { ...STATE, version: 3, serial: 5 }] },
      invariant: 'no orphans',
      message: /i-1/,
    },
    {
      reason: 'a cloud object that was left behind by force, and is not the one that was given up',
      planted: { cloud: [...aWorld().cloud, LEFT], deletionRecords: [aDeletionRecord({ abandoned: ['i-8'] })] },
      invariant: 'no orphans',
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a cloud object that a record names, though nobody gave it up',
      planted: {
        cloud: [...aWorld().cloud, LEFT],
        deletionRecords: [aDeletionRecord({ abandoned: ['i-9'], forced: undefined })],
      },
      invariant: 'no orphans',
      message: /i-9.*no live Infrastructure/,
    },
    {
      reason: 'a load balancer of a cluster that is gone',
      planted: { cloud: [...aWorld().cloud, madeByCluster('aws_lb', 'gone-12345678')] },
      invariant: 'no orphans',
      message: /aws_lb-1.*no live Infrastructure/,
    },
    {
      reason: 'a cluster whose load balancer was taken away',
      planted: exposed('aws_ebs_volume'),
      invariant: 'what workloads have in the cloud stays',
      message: /Cluster demo has lost its aws_lb/,
    },
    {
      reason: 'a cluster whose volume was taken away',
      planted: exposed('aws_lb'),
      invariant: 'what workloads have in the cloud stays',
      message: /Cluster demo has lost its aws_ebs_volume/,
    },
    {
      reason: 'a plan that was approved and is still carried out',
      planted: { ...approved, userPlans: [aPlan('Executing')] },
      invariant: 'approved plans end, and say how',
      message: /grow was approved and is Executing/,
    },
    {
      reason: 'a plan that was approved and is gone',
      planted: approved,
      invariant: 'approved plans end, and say how',
      message: /grow was approved and is gone/,
    },
    {
      reason: 'a plan that says it was executed, and no cluster ever was so',
      planted: { userPlans: [aPlan('Executed')] },
      invariant: 'approved plans end, and say how',
      message: /grow says Executed/,
    },
    {
      reason: 'two objects for one address',
      planted: { cloud: [...aWorld().cloud, aCloudObject({ id: 'i-9' })] },
      invariant: 'no duplicates',
      message: /demo-bastion is there twice: i-1 and i-9/,
    },
    {
      reason: 'a state that knows what is not there',
      planted: { cloud: aWorld().cloud.slice(0, 1) },
      invariant: 'no ghosts',
      message: /i-2/,
    },
    {
      reason: 'secrets whose owner is gone',
      planted: { secretOwners: ['Infrastructure-0'] },
      invariant: 'no orphaned secrets',
      message: /Infrastructure-0/,
    },
    {
      reason: 'a write that was acknowledged and is not in the log',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, revision: 5 })) },
      invariant: 'acknowledged writes are readable',
      message: /revision 5 is not in the log/,
    },
    {
      reason: 'a write that was acknowledged with another spec',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, spec: { nodePools: [] } })) },
      invariant: 'acknowledged writes are readable',
      message: /another spec/,
    },
    {
      reason: 'an object that vanished without being deleted',
      planted: { clusters: [] },
      invariant: 'acknowledged writes are readable',
      message: /vanished/,
    },
    {
      reason: 'a force that was acknowledged, and that the log does not have',
      planted: {
        acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, annotations: { force: 'at once' } })),
      },
      invariant: 'acknowledged writes are readable',
      message: /revision 3 is without force/,
    },
    {
      reason: 'a swap of credentials that the log has, and the account has not',
      planted: swapped('f0', { last: 'f1' }),
      invariant: 'acknowledged writes are readable',
      message: /main uses credentials f0, and was told f1 last/,
    },
    {
      reason: 'credentials in use that nobody has',
      planted: swapped('f2'),
      invariant: 'acknowledged writes are readable',
      message: /f2, which are not stored/,
    },
    {
      reason: 'credentials that are others than were sent',
      planted: swapped('f1', { accessKeyId: 'AKIATWO' }),
      invariant: 'acknowledged writes are readable',
      message: /uses AKIAONE where AKIATWO was acknowledged/,
    },
    {
      reason: 'a state that was put in place again and is not there',
      planted: restored(undefined),
      invariant: 'acknowledged writes are readable',
      message: /demo.3 was put in place and is not there/,
    },
    {
      reason: 'a state of a run under the number of one that was put in place again',
      planted: restored({}),
      invariant: 'acknowledged writes are readable',
      message: /demo.3 is not version 2, put in place again/,
    },
    {
      reason: 'a state that was put in place again with another content',
      planted: restored({ restored: 2, substance: 'c' }),
      invariant: 'acknowledged writes are readable',
      message: /demo.3 has another content than version 2/,
    },
    {
      reason: 'a deletion that was acknowledged and forgotten',
      planted: { acknowledged: aWorld().acknowledged.map((entry) => ({ ...entry, what: 'deleted' })) },
      invariant: 'acknowledged writes are readable',
      message: /was deleted and is there/,
    },
    {
      reason: 'a Ready cluster with a machine too few',
      planted: { cloud: aWorld().cloud.slice(0, 1), states: [] },
      invariant: 'no status contradicts the world',
      message: /1 machines instead of 2/,
    },
    {
      reason: 'a Ready cluster that counts other nodes',
      planted: { clusters: [{ ...CLUSTER, status: { ...CLUSTER.status, nodes: { ready: 4 } } }] },
      invariant: 'no status contradicts the world',
      message: /nodes.ready is 4 instead of 1/,
    },
    {
      reason: 'a Ready cluster with an Infrastructure that is not',
      planted: { infrastructures: [anObject('Infrastructure', { status: waiting })] },
      invariant: 'no status contradicts the world',
      message: /Infrastructure team-a\/demo is not Ready/,
    },
    ...inTheCluster([
      ['a node too few', { ...TARGET, nodes: [] }, /nodes are at none instead of 10.0.0.7/],
      [
        'a node that is no machine of it',
        { ...TARGET, nodes: TARGET.nodes.map((node) => ({ ...node, address: '10.0.0.8' })) },
        /nodes are at 10.0.0.8 instead of 10.0.0.7/,
      ],
      [
        'a node of another version',
        { ...TARGET, nodes: TARGET.nodes.map((node) => ({ ...node, version: 'v1.31.3' })) },
        /demo-control-plane-0 is v1.31.3 instead of v1.31.4/,
      ],
      ['an add-on that nobody made', { ...TARGET, addOns: [] }, /docs is not there/],
      ['no answer', 'it does not answer: Error', /it does not answer/],
    ]),
    {
      reason: 'a Ready cluster with an add-on that was taken out of its spec',
      planted: { clusters: [{ ...CLUSTER, spec: { ...CLUSTER.spec, addOns: [] } }] },
      invariant: 'no status contradicts the world',
      message: /docs is still there/,
    },
    {
      reason: 'a Ready cluster with machines of another type',
      planted: {
        clusters: [{ ...CLUSTER, spec: { ...CLUSTER.spec, controlPlane: { replicas: 1, machineType: 'm5.xlarge' } } }],
      },
      invariant: 'no status contradicts the world',
      message: /machines are m5.large instead of m5.xlarge/,
    },
    {
      reason: 'a Ready cluster that nobody looked into',
      planted: { targets: {} },
      invariant: 'no status contradicts the world',
      message: /nobody looked into it/,
    },
    {
      reason: 'a plan that would change something',
      planted: { plans: { demo: 'Plan: 1 to add, 0 to change, 0 to destroy.' } },
      invariant: 'next plan is empty',
      message: /1 to add/,
    },
    {
      reason: 'a state that was set back',
      planted: { states: [...aWorld().states, { ...STATE, version: 3, serial: 4 }], cloud: [] },
      invariant: 'state serials increase',
      message: /serial 4 follows 4/,
    },
    {
      reason: 'a state that began anew',
      planted: { states: [...aWorld().states, { ...STATE, lineage: 'two', version: 3, serial: 9 }], cloud: [] },
      invariant: 'state serials increase',
      message: /lineage one became two/,
    },
    {
      reason: 'an engine that began anew, with another authority',
      planted: {
        engineStates: [
          ...aWorld().engineStates,
          { owner: 'KubernetesCluster-1', version: 3, authority: undefined },
          { owner: 'KubernetesCluster-1', version: 4, authority: 'A2' },
        ],
      },
      invariant: 'a cluster keeps its authority',
      message: /A1 of KubernetesCluster-1 became A2 with version 4/,
    },
    {
      reason: 'a kubeconfig that trusts another authority',
      planted: { kubeconfigs: [{ owner: 'KubernetesCluster-1', version: 5, authority: 'A2' }] },
      invariant: 'a cluster keeps its authority',
      message: /A1 of KubernetesCluster-1 became A2 with version 5/,
    },
    {
      reason: 'a version that does not open',
      planted: { unopened: ['cloud-mgmt: terraform-state of x, version 3'] },
      invariant: 'every stored version opens',
      message: /version 3/,
    },
    {
      reason: 'two open runs of one Infrastructure',
      planted: { runs: ['run-1', 'run-2'].map((id) => aRun({ id, state: 'running', ended_at: null })) },
      invariant: 'never two holders of a lock',
      message: /2 runs/,
    },
    {
      reason: 'a run that began before the one before it ended',
      planted: {
        runs: [aRun({ id: 'run-1', ended_at: new Date(9_000) }), aRun({ id: 'run-2', started_at: new Date(3_000) })],
      },
      invariant: 'never two holders of a lock',
      message: /run run-2 began before run run-1 ended/,
    },
    {
      reason: 'two Terraforms at work for one Infrastructure',
      planted: { lockSightings: [{ owner: '1', workspaces: ['/w/1', '/w-2/1'], groups: [7, 8] }] },
      invariant: 'never two holders of a lock',
      message: /7 and 8 worked for 1, in \/w\/1 and \/w-2\/1/,
    },
    {
      reason: 'a watcher that missed a change',
      planted: watched({ events: EVENTS.slice(1) }),
      invariant: 'watchers saw every change once, in order',
      message: /missing ADDED Cluster-1 at 3/,
    },
    {
      reason: 'a watcher that saw a change twice',
      planted: watched({ events: [...EVENTS, ...EVENTS.slice(1)] }),
      invariant: 'watchers saw every change once, in order',
      message: /doubled MODIFIED/,
    },
    {
      reason: 'a watcher that saw changes in another order',
      planted: watched({ events: EVENTS.toReversed() }),
      invariant: 'watchers saw every change once, in order',
      message: /disordered ADDED/,
    },
    {
      reason: 'a watcher that saw what never happened',
      planted: watched({ events: [...EVENTS, { type: 'DELETED', uid: 'Cluster-1', revision: 7 }] }),
      invariant: 'watchers saw every change once, in order',
      message: /invented DELETED/,
    },
    {
      reason: 'a watcher that never heard of the last change',
      planted: watched({ to: 3, events: EVENTS.slice(0, 1) }),
      invariant: 'watchers saw every change once, in order',
      message: /client 1 of Cluster came as far as 3, and there was 7/,
    },
    {
      reason: 'a watcher that could not even list',
      planted: { watched: [{ watcher: 'client 1', kind: 'Cluster', spans: [], wanted: 7 }] },
      invariant: 'watchers saw every change once, in order',
      message: /came as far as 0/,
    },
    {
      reason: 'a watcher that missed a change while older ones were forgotten',
      planted: { ...watched({ events: EVENTS.slice(0, 1) }), since: { Cluster: 5 }, floors: { Cluster: 5 } },
      invariant: 'watchers saw every change once, in order',
      message: /missing MODIFIED Cluster-1 at 7/,
    },
    {
      reason: 'a watcher that had to list anew for nothing',
      planted: { ...watched({ isForgotten: true }), floors: { Cluster: 0 } },
      invariant: 'watchers saw every change once, in order',
      message: /was sent to list anew at 7; only changes up to 0 are forgotten/,
    },
    {
      reason: 'a record that was gone before its machines',
      planted: { earlyEnds: [{ uid: 'Infrastructure-0', left: [aCloudObject()] }] },
      invariant: 'finalizers went after the inventory was empty',
      message: /Infrastructure-0 was gone while there were aws_instance i-1/,
    },
    {
      reason: 'something that waits and does not say for what',
      planted: { clusters: [{ ...CLUSTER, status: waiting }] },
      invariant: 'nothing waits without saying for what',
      message: /Cluster team-a\/demo/,
    },
    {
      reason: 'a deletion that does not say what it waits for',
      planted: {
        clusters: [{ ...CLUSTER, metadata: { ...CLUSTER.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
      },
      invariant: 'nothing waits without saying for what',
      message: /Cluster team-a\/demo/,
    },
    {
      reason: 'a platform that took too long',
      planted: { convergedAfterMs: 60_001 },
      invariant: 'convergence in time',
      message: /60001 ms/,
    },
    {
      reason: 'a platform that never became what was asked',
      planted: { convergedAfterMs: undefined, unsettled: ['Cluster team-a/demo: Ready is False, NotReady: waits'] },
      invariant: 'convergence in time',
      message: /^Not after healing; .*; not as asked: Cluster team-a\/demo: Ready is False, NotReady: waits$/,
    },
    {
      reason: 'a secret in a log',
      planted: { leaks: ['ssh-private-key in the log cluster-mgmt.log'] },
      invariant: 'no secret where it may not be',
      message: /ssh-private-key/,
    },
  ])('finds $reason', ({ planted, invariant, message }) => {
    const found = judge(aWorld(planted)).filter((violation) => violation.invariant === invariant);
    expect(found.map((violation) => violation.message)).toContainEqual(expect.stringMatching(message));
  });

  it('takes a state that Terraform wrote again for none that was set back', () => {
    const { states } = aWorld();
    expect(judge(aWorld({ states: [...states, { ...states[1]!, version: 3 }] }))).toEqual([]);
  });

  it.each([
    { reason: 'a swap of credentials that was acknowledged', planted: swapped('f1') },
    { reason: 'a swap that nobody answered, after it', planted: swapped('f1', { told: 'f0', accessKeyId: 'AKIAOLD' }) },
    { reason: 'a state that was put in place again', planted: restored({ restored: 2 }) },
    {
      reason: 'one that is forgotten, with all before it',
      planted: { ...restored(undefined), states: [{ ...aWorld().states[1]!, version: 4 }] },
    },
  ])('takes for kept: $reason', ({ planted }) => {
    expect(judge(aWorld(planted))).toEqual([]);
  });

  it.each([
    { of: 'an Infrastructure', left: LEFT },
    { of: 'a cluster', left: madeByCluster('aws_lb', 'gone-12345678') },
  ])('takes what somebody gave up by name for no orphan, of $of', ({ left }) => {
    const cloud = [...aWorld().cloud, left];
    expect(judge(aWorld({ cloud, deletionRecords: [aDeletionRecord({ abandoned: [left.id] })] }))).toEqual([]);
  });

  it('takes what a cluster made for its own', () => {
    expect(judge(aWorld(exposed('aws_lb', 'aws_ebs_volume')))).toEqual([]);
  });

  it('takes a plan for executed whose cluster became as it says', () => {
    const grown = { ...CLUSTER, spec: { ...CLUSTER.spec, nodePools: [{ name: 'workers', replicas: 5 }] } };
    const change = { revision: 6, type: 'MODIFIED' as const, kind: 'Cluster', uid: 'Cluster-1', object: grown };
    const changes = { Cluster: [...(aWorld().changes['Cluster'] ?? []), change] };
    const userPlans = [aPlan('Executed')];
    const found = judge(aWorld({ ...approved, userPlans, changes, watched: [] }));
    expect(found).toEqual([]);
  });

  it('takes a plan for executed whose cluster was as it says, so that there was nothing to execute', () => {
    const { execution: _, ...status } = aPlan('Executed').status as Record<string, unknown>;
    const basis = { clusterUid: 'Cluster-1', generation: CLUSTER.metadata.generation };
    const userPlans = [{ ...aPlan('Executed'), spec: { changes: {} }, status: { ...status, basis } }];
    expect(judge(aWorld({ ...approved, userPlans }))).toEqual([]);
  });

  it('does not compare what a watcher saw with changes that nobody knows', () => {
    expect(judge(aWorld({ ...watched({ events: EVENTS.slice(1) }), since: { Cluster: 5 } }))).toEqual([]);
  });

  it('takes it for no harm that a watcher had to list anew where changes were forgotten', () => {
    const told = { ...SPAN, to: 3, events: EVENTS.slice(0, 1), isForgotten: true };
    const anew = { from: 7, to: 7, events: [], isForgotten: false };
    const history = { watcher: 'client 1', kind: 'Cluster', spans: [told, anew], wanted: 7 };
    expect(judge(aWorld({ watched: [history], floors: { Cluster: 5 } }))).toEqual([]);
  });
});
