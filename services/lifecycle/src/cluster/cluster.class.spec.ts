import { describe, expect, it } from '@jest/globals';
import { conditionTrue, mergeConditions, type Cluster } from '@crate/api';
import type { ClassState } from '../cluster-class/class-state.js';
import { aCluster } from '../testing/a-cluster.js';
import { classConditions, classStatus } from './cluster.class.js';

const BEHIND: ClassState = {
  revision: 1,
  newestRevision: 2,
  isPinned: false,
  changes: [{ field: 'spec.kubernetes.version', from: 'v1.31.4', to: 'v1.31.8' }],
  notApplicable: [],
};
const THERE: ClassState = { ...BEHIND, revision: 2, changes: [] };
const FAR = { field: 'spec.region', from: 'us-east-1', to: 'eu-central-1' };

function ofClass(status?: Cluster['status']): Cluster {
  const cluster = aCluster({ classRef: { name: 'standard', revision: 1 } });
  return status ? { ...cluster, status } : cluster;
}

describe('the condition ClassUpToDate', () => {
  const rows: { reason: string; state: ClassState | 'ClassNotFound'; want: Record<string, string> }[] = [
    { reason: 'there is nothing newer', state: THERE, want: { status: 'True', reason: 'UpToDate', message: '' } },
    {
      reason: 'what is newer changes nothing here',
      state: { ...BEHIND, changes: [] },
      want: { status: 'True', reason: 'UpToDate', message: 'Revision 2 would change nothing here' },
    },
    {
      reason: 'what is left can never be',
      state: { ...THERE, notApplicable: [FAR] },
      want: {
        status: 'True',
        reason: 'UpToDate',
        message: 'Not applicable to a cluster that exists: spec.region: "us-east-1" -> "eu-central-1"',
      },
    },
    {
      reason: 'a newer revision would change it',
      state: BEHIND,
      want: {
        status: 'False',
        reason: 'UpdateAvailable',
        message: 'Revision 2 would change spec.kubernetes.version: "v1.31.4" -> "v1.31.8"',
      },
    },
    {
      reason: 'a newer revision is too far',
      state: { ...BEHIND, distance: 'later' },
      want: {
        status: 'False',
        reason: 'UpdateAvailable',
        message:
          'Revision 2 would change spec.kubernetes.version: "v1.31.4" -> "v1.31.8"; Kubernetes goes up one minor version at a time',
      },
    },
    { reason: 'it states an older revision', state: { ...BEHIND, isPinned: true }, want: { reason: 'Pinned' } },
    {
      reason: 'the newest revision cannot take it',
      state: { ...BEHIND, refusal: 'spec.parameters.size: Required value' },
      want: {
        status: 'False',
        reason: 'Refused',
        message: 'Revision 2 cannot take this cluster: spec.parameters.size: Required value',
      },
    },
    {
      reason: 'the rollout was refused',
      state: { ...BEHIND, changes: [], refused: 'The quota is used up' },
      want: {
        status: 'False',
        reason: 'Refused',
        message: 'The move to revision 2 was refused: The quota is used up',
      },
    },
    { reason: 'its class is gone', state: 'ClassNotFound', want: { status: 'Unknown', reason: 'ClassNotFound' } },
  ];

  it.each(rows)('is $want when $reason', ({ state, want }) => {
    expect(classConditions({ cluster: ofClass(), classState: state })).toEqual([expect.objectContaining(want)]);
  });

  it('stays as it was while nobody looked, and is not there for clusters without a class', () => {
    const conditions = mergeConditions([], [conditionTrue('ClassUpToDate', 'UpToDate')], {
      generation: 1,
      now: new Date(0),
    });
    expect(classConditions({ cluster: ofClass({ conditions }) })).toEqual(conditions);
    expect(classConditions({ cluster: ofClass() })).toEqual([]);
    expect(classConditions({ cluster: aCluster() })).toEqual([]);
  });

  it('fits into a line, however much would change', () => {
    const changes = Array.from({ length: 500 }, (_, index) => ({ field: `spec.${'x'.repeat(90)}${index}`, to: index }));
    const [condition] = classConditions({ cluster: ofClass(), classState: { ...BEHIND, changes } });
    expect(condition?.message.length).toBeLessThanOrEqual(300);
    const status = classStatus({ cluster: ofClass(), classState: { ...BEHIND, changes } });
    expect(status).toMatchObject({ changeCount: 500, revision: 1, newestRevision: 2, pinned: false });
    expect(status?.changes).toHaveLength(50);
  });
});

describe('what the status says of the class', () => {
  const known = { pinned: false, changes: [], changeCount: 0, notApplicable: [] };

  it('is kept while nobody looked, and goes with the class', () => {
    expect(classStatus({ cluster: ofClass({ class: known }) })).toEqual(known);
    expect(classStatus({ cluster: ofClass({ class: known }), classState: 'ClassNotFound' })).toBeUndefined();
    expect(classStatus({ cluster: { ...aCluster(), status: { class: known } } })).toBeUndefined();
  });
});
