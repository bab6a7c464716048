import { describe, expect, it } from '@jest/globals';
import { aCloudObject, anObject, aRun, aWorld } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';
import type { CloudObject } from '../world/cloud-journal.js';
import type { CloudChange } from '../world/kept-cloud.js';
import type { KubeObject } from '../world/kube-object.js';
import type { Change } from '../world/records.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const INVARIANT = 'approved plans do what they said, and no more';
const CLUSTER = aWorld().clusters[0] ?? anObject('Cluster');
const MARK = 'lifecycle.crate.dev/approved-plan';

/** A plan that said it would make one machine, change the network, and take one rule away. */
function aPlan(reason: string, changes: Partial<KubeObject> = {}): KubeObject {
  const plan = anObject('Plan', { spec: { changes: {} } });
  const resources = [
    { address: 'aws_instance.a', type: 'aws_instance', action: 'create' },
    { address: 'aws_vpc.vpc', type: 'aws_vpc', action: 'update' },
    { address: 'aws_rule.r', type: 'aws_rule', action: 'destroy' },
  ];
  return {
    ...plan,
    metadata: { ...plan.metadata, name: 'grow', uid: 'Plan-1' },
    status: {
      conditions: [{ type: 'Ready', status: 'False', reason }],
      basis: { clusterUid: 'Cluster-1', generation: 1 },
      execution: { generation: 1, previous: CLUSTER.spec },
      consequences: { terraform: { resources } },
    },
    ...changes,
  };
}

function heldTo(approvedPlan: object, generation = 2): KubeObject {
  const [infrastructure = anObject('Infrastructure')] = aWorld().infrastructures;
  return { ...infrastructure, metadata: { ...infrastructure.metadata, generation }, spec: { approvedPlan } };
}

/** Of the run from 3,000 to 4,000. */
const RUN = aRun({ id: 'run-2', generation: 2, started_at: new Date(3_000), ended_at: new Date(4_000) });
const EARLIER = aRun({ id: 'run-1' });

function done(id: string, what: Partial<CloudChange>, at = 3_500): CloudChange {
  const [before, after] = [what.before, what.after].map((each) => each && { ...each, id });
  return { ...(before ? { before } : {}), ...(after ? { after } : {}), since: at - 100, until: at + 100 };
}

const object = (type: string, attributes: CloudObject['attributes'] = {}): CloudObject =>
  aCloudObject({ type, attributes });
const made = (id: string, at?: number): CloudChange => done(id, { after: object('aws_instance') }, at);
const removed = (id: string, of = object('aws_rule')): CloudChange => done(id, { before: of });
const changed = (id: string, before: CloudObject, after: CloudObject): CloudChange => done(id, { before, after });

function aWorldWith(reason: string, cloudChanges: readonly CloudChange[], more: Partial<World> = {}): Partial<World> {
  const infrastructures = [heldTo({ name: 'grow', digest: 'd' })];
  return { userPlans: [aPlan(reason)], infrastructures, keptRuns: [EARLIER, RUN], cloudChanges, ...more };
}

function foundIn(planted: Partial<World>): readonly string[] {
  const found = judge(aWorld(planted)).filter(({ invariant }) => invariant === INVARIANT);
  return found.map(({ message }) => message).filter((message) => message.includes(' said '));
}

describe('what plans did in the cloud', () => {
  finds(INVARIANT, [
    {
      reason: 'a machine more than was approved',
      planted: aWorldWith('Executed', [made('i-3'), made('i-4')]),
      message: /grow is Executed and said 1 of created aws_instance; there were i-3, i-4/,
    },
    {
      reason: 'a removal of another type than was approved',
      planted: aWorldWith('Failed', [removed('i-3', object('aws_instance'))]),
      message: /said 0 of removed aws_instance; there were i-3/,
    },
    {
      reason: 'a change in place that nobody approved',
      planted: aWorldWith('Executed', [changed('s-1', object('aws_subnet'), object('aws_subnet', { public: true }))]),
      message: /said 0 of changed aws_subnet; there were s-1/,
    },
    {
      reason: 'something that a refused plan did, although it was planned',
      planted: aWorldWith('Refused', [made('i-3')]),
      message: /grow is Refused and said 0 of created aws_instance; there were i-3/,
    },
    {
      reason: 'an approved deletion that takes away more, of an owner that is gone',
      planted: {
        ...aWorldWith('Executed', [removed('r-1'), removed('r-2')]),
        userPlans: [aPlan('Executed', { spec: { destroy: true } })],
        infrastructures: [],
        keptRuns: [{ ...RUN, kind: 'destroy' }],
        changes: {
          Infrastructure: [
            {
              revision: 9,
              type: 'DELETED',
              kind: 'Infrastructure',
              uid: 'Infrastructure-1',
              object: heldTo({ name: 'grow', destroy: true }),
            },
          ],
        },
      },
      message: /said 1 of removed aws_rule; there were r-1, r-2/,
    },
  ]);

  it.each<{ reason: string; planted: Partial<World> }>([
    {
      reason: 'what it said',
      planted: aWorldWith('Executed', [
        made('i-3'),
        changed('vpc-1', object('aws_vpc'), object('aws_vpc', { dns: true })),
        removed('r-1'),
      ]),
    },
    {
      reason: 'what was made twice and taken away again',
      planted: aWorldWith('Executed', [made('i-3'), made('i-4'), removed('i-3', object('aws_instance'))]),
    },
    {
      reason: 'what an address changes at a machine',
      planted: aWorldWith('Executed', [
        changed('i-1', object('aws_instance'), object('aws_instance', { public_ip: '1.2.3.4' })),
        changed('i-2', object('aws_instance', { public_dns: 'two.example' }), object('aws_instance')),
        changed('eip-1', object('aws_eip'), object('aws_eip', { instance: 'i-1' })),
      ]),
    },
    {
      reason: 'what a later run of the same spec did, as one that puts back what differs',
      planted: aWorldWith('Executed', [made('i-3', 5_500), made('i-4', 5_500)], {
        keptRuns: [RUN, aRun({ id: 'run-3', generation: 2, started_at: new Date(5_000), ended_at: new Date(6_000) })],
      }),
    },
    {
      reason: 'a deletion that nobody planned',
      planted: aWorldWith('Failed', [removed('r-1'), removed('r-2')], { keptRuns: [{ ...RUN, kind: 'destroy' }] }),
    },
    {
      reason: 'what came while a run before it may have gone on',
      planted: aWorldWith('Executed', [made('i-3', 2_950), made('i-4', 2_950)], {
        keptRuns: [{ ...EARLIER, ended_at: new Date(2_900) }, RUN],
      }),
    },
    {
      reason: 'what may be left of a run that was broken off',
      planted: aWorldWith('Executed', [made('i-3'), made('i-4')], {
        keptRuns: [{ ...EARLIER, state: 'interrupted' }, RUN],
      }),
    },
    {
      reason: 'what others did by hand, and what went with it',
      planted: aWorldWith('Refused', [removed('i-3'), removed('t-1', object('aws_rule', { target_id: 'i-3' }))], {
        meddled: ['i-3'],
      }),
    },
    {
      reason: 'what another owner had done',
      planted: aWorldWith('Refused', [done('i-3', { after: aCloudObject({ tags: {} }) })]),
    },
  ])('blames no plan for $reason', ({ planted }) => {
    expect(foundIn(planted)).toEqual([]);
  });
});

describe('what became of plans', () => {
  const revision = (at: number, object: KubeObject, type: Change['type'] = 'MODIFIED'): Change => ({
    ...{ revision: at, type, kind: 'Cluster', uid: 'Cluster-1' },
    object,
  });
  const marked = revision(8, {
    ...CLUSTER,
    spec: { nodePools: [] },
    metadata: { ...CLUSTER.metadata, annotations: { [MARK]: '{"name":"grow","uid":"Plan-1"}' } },
  });
  const log = (...more: readonly Change[]): Partial<World> => ({
    userPlans: [aPlan('Refused')],
    changes: { Cluster: [...(aWorld().changes['Cluster'] ?? []), marked, ...more] },
  });

  finds(INVARIANT, [
    {
      reason: 'a plan that was executed, and to which nobody was held',
      planted: { userPlans: [aPlan('Executed')] },
      message: /grow says Executed, and no Infrastructure was ever held to it/,
    },
    {
      reason: 'a cluster that a refused plan has left with its spec',
      planted: log(),
      message: /grow is Refused, and its cluster did not get its former spec back/,
    },
    {
      reason: 'a cluster that got another spec back',
      planted: log(revision(9, { ...CLUSTER, spec: { nodePools: [{ name: 'other' }] } })),
      message: /did not get its former spec back/,
    },
  ]);

  it.each([
    { reason: 'got its former spec back', planted: log(revision(9, CLUSTER)) },
    { reason: 'was deleted', planted: log(revision(9, marked.object, 'DELETED')) },
    { reason: 'got something in a gap', planted: { ...log(), gaps: { Cluster: [{ after: 8, upTo: 9 }] } } },
    { reason: 'was never given another', planted: { userPlans: [aPlan('Refused')] } },
  ])('says nothing of a refused plan whose cluster $reason', ({ planted }) => {
    const found = judge(aWorld(planted)).filter(({ message }) => message.includes('former spec'));
    expect(found).toEqual([]);
  });
});
