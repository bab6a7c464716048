import { describe, expect, it } from '@jest/globals';
import { anObject, aWorld } from '../testing/a-world.js';
import { CLASS_MARK } from '../users/user-action.js';
import type { KubeObject } from '../world/kube-object.js';
import { isAtRest } from '../world/rollout.js';
import type { World } from '../world/world.js';
import { judge } from './all.js';

const STANDS = 'a cluster of a class is what its revision says';
const ENDS = 'rollouts end, or say what they wait for';

const templateOf = (mark: string, version = 'v1.31.4'): object => ({
  kubernetes: { version },
  nodePools: [{ name: 'workers', labels: { [CLASS_MARK]: mark } }],
});

function aRevision(revision: number, version?: string): KubeObject {
  const spec = { classRef: { name: 'chaos' }, revision, template: templateOf(`m${revision}`, version) };
  return anObject('ClusterClassRevision', { spec });
}

interface ClassFacts {
  readonly template?: object;
  readonly revision?: number;
  readonly total?: number;
  readonly failing?: number;
  readonly rolledOut?: { readonly status: string; readonly reason: string; readonly message: string };
}

const DONE = { status: 'True', reason: 'UpToDate', message: '' };
const why = (reason: string, message = '1 cluster to move'): typeof DONE => ({ status: 'False', reason, message });

/** At revision 2, which one cluster is made of. */
function aClass(facts: ClassFacts = {}): KubeObject {
  const { template = templateOf('m2'), revision = 2, total = 1, failing = 0, rolledOut = DONE } = facts;
  const named = anObject('ClusterClass');
  return {
    ...named,
    metadata: { ...named.metadata, name: 'chaos' },
    spec: { template, rollout: { maxFailures: 1 } },
    status: {
      observedGeneration: 1,
      conditions: [{ type: 'RolledOut', ...rolledOut }],
      revision,
      clusters: { total, failing },
    },
  };
}

interface ClusterFacts {
  readonly revision: number;
  readonly mark: string;
  readonly told: number;
  readonly pinned: boolean;
}

function aCluster(facts: Partial<ClusterFacts> = {}): KubeObject {
  const { revision = 2, mark = `m${revision}`, told = revision, pinned = false } = facts;
  const [cluster = anObject('Cluster')] = aWorld().clusters;
  const pool = { name: 'workers', replicas: 0, labels: { [CLASS_MARK]: mark } };
  const spec = { ...cluster.spec, classRef: { name: 'chaos', revision }, nodePools: [pool] };
  return { ...cluster, spec, status: { ...cluster.status, class: { revision: told, pinned } } };
}

function classed(changes: Partial<World> = {}): World {
  const classRevisions = [aRevision(1), aRevision(2)];
  return aWorld({ classes: [aClass()], classRevisions, clusters: [aCluster()], acknowledged: [], ...changes });
}

/** A class of an earlier version than its cluster, which is of the revision before. */
function stalled(version = 'v1.30.12'): { readonly owner: KubeObject; readonly cluster: KubeObject } {
  const owner = aClass({ template: templateOf('m2', version), rolledOut: why('Stalled') });
  return { owner, cluster: aCluster({ revision: 1 }) };
}

function stalledWorld(version?: string): Partial<World> {
  const { owner, cluster } = stalled(version);
  return { classes: [owner], clusters: [cluster], classRevisions: [aRevision(1), aRevision(2, version ?? 'v1.30.12')] };
}

describe('clusters of a class', () => {
  it.each<{ reason: string; world: World }>([
    { reason: 'it is rolled out', world: classed() },
    { reason: 'a cluster is pinned', world: classed({ clusters: [aCluster({ revision: 1, pinned: true })] }) },
    {
      reason: 'nobody is moved by itself',
      world: classed({ clusters: [aCluster({ revision: 1 })], classes: [aClass({ rolledOut: why('Manual') })] }),
    },
    {
      reason: 'too many fail',
      world: classed({ classes: [aClass({ failing: 2, rolledOut: why('TooManyFailures') })] }),
    },
    { reason: 'none that is behind can go back', world: classed(stalledWorld()) },
  ])('are right when $reason', ({ world }) => {
    expect(judge(world)).toEqual([]);
  });

  it.each<{ reason: string; planted: Partial<World>; invariant: string; message: RegExp }>([
    {
      reason: 'a cluster that is not what its revision says',
      planted: { clusters: [aCluster({ mark: 'm1' })] },
      invariant: STANDS,
      message: /demo is of revision 2 of class chaos, but its nodes have the mark m1 instead of m2/,
    },
    {
      reason: 'a cluster of a revision that was forgotten',
      planted: { clusters: [aCluster({ revision: 3 })] },
      invariant: STANDS,
      message: /revision 3 of class chaos, of which there is none/,
    },
    {
      reason: 'a status that tells of another revision',
      planted: { clusters: [aCluster({ told: 1 })] },
      invariant: STANDS,
      message: /its status says 1/,
    },
    {
      reason: 'a cluster that a rollout left behind',
      planted: { clusters: [aCluster({ revision: 1 })] },
      invariant: ENDS,
      message: /chaos says that it is rolled out, and Cluster team-a\/demo is at revision 1/,
    },
    {
      reason: 'a rollout that goes on for ever',
      planted: { classes: [aClass({ rolledOut: why('RollingOut') })] },
      invariant: ENDS,
      message: /chaos is RollingOut: 1 cluster to move/,
    },
    {
      reason: 'a rollout that stands still and does not say why',
      planted: { classes: [aClass({ rolledOut: why('Paused', '') })] },
      invariant: ENDS,
      message: /chaos is Paused: nobody says why/,
    },
    {
      reason: 'a rollout that stands still for failures that there are not',
      planted: { classes: [aClass({ failing: 1, rolledOut: why('TooManyFailures') })] },
      invariant: ENDS,
      message: /stands still for 1 failing clusters, and 1 may fail/,
    },
    {
      reason: 'a rollout that says that it is stalled, and is not',
      planted: stalledWorld('v1.32.4'),
      invariant: ENDS,
      message: /chaos is Stalled: 1 cluster to move/,
    },
    {
      reason: 'a change of the class that made no revision',
      planted: { classes: [aClass({ template: templateOf('m3') })] },
      invariant: ENDS,
      message: /is not what its newest revision says/,
    },
    {
      reason: 'a class that names an older revision as its newest',
      planted: { classes: [aClass({ revision: 1 })], clusters: [aCluster({ revision: 1 })] },
      invariant: ENDS,
      message: /says revision 1, and its newest is 2/,
    },
  ])('are found when there is $reason', ({ planted, invariant, message }) => {
    const found = judge(classed(planted)).filter((violation) => violation.invariant === invariant);
    expect(found.map((violation) => violation.message)).toContainEqual(expect.stringMatching(message));
  });

  it.each<{ reason: string; owner: KubeObject; cluster?: KubeObject; want: boolean }>([
    { reason: 'clusters are still moved', owner: aClass({ rolledOut: why('RollingOut') }), want: false },
    { reason: 'one has not been counted', owner: aClass({ total: 0 }), want: false },
    { reason: 'somebody has stopped it', owner: aClass({ rolledOut: why('Paused') }), want: true },
    { reason: 'it is rolled out', owner: aClass(), want: true },
    { reason: 'none can be moved', ...stalled(), want: true },
    { reason: 'it says so, and one can', ...stalled('v1.32.4'), want: false },
  ])('are waited for as long as it takes: $reason', ({ owner, cluster = aCluster(), want }) => {
    expect(isAtRest(owner, [cluster])).toBe(want);
  });
});
