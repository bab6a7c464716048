import type { Cluster, FleetHealth, Plan } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { clusterHealth, healthWithPlans, undecided } from './cluster-health.js';
import { aCluster, aCondition } from './testing/a-cluster.js';

const deleted = { metadata: { deletionTimestamp: '2026-01-31T15:00:00Z' } };
const blocker = {
  kind: 'aws_network_interface',
  name: 'eni-1',
  reason: 'ForeignResource',
  message: 'It is in the network',
  since: '2026-01-31T15:00:00Z',
  remedy: 'Remove it',
};

const rows: readonly { reason: string; given: Cluster; health: FleetHealth; message?: string }[] = [
  { reason: 'all is as asked for', given: aCluster(), health: 'Healthy' },
  { reason: 'pausing is on purpose', given: aCluster({}, { spec: { paused: true } }), health: 'Paused' },
  {
    reason: 'a failure is told in its own words',
    given: aCluster({ failure: { code: 'QuotaExceeded', message: 'No vCPU left', retryable: true } }),
    health: 'Failing',
    message: 'No vCPU left',
  },
  {
    reason: 'a cluster that serves and drifted is no healthy one',
    given: aCluster({
      conditions: [
        aCondition('Ready', 'True'),
        aCondition('InSync', 'False', '12:00:00', { message: '1 resource differs' }),
      ],
    }),
    health: 'Degraded',
    message: '1 resource differs',
  },
  {
    reason: 'drift that nothing puts back before somebody decides waits for them',
    given: aCluster({
      conditions: [aCondition('Ready', 'True'), aCondition('InSync', 'False', '12:00:00', { reason: 'OnHold' })],
    }),
    health: 'Blocked',
  },
  {
    reason: 'a node that was there is missing',
    given: aCluster({
      conditions: [
        aCondition('Ready', 'False'),
        aCondition('ControlPlaneReady', 'True'),
        aCondition('NodesReady', 'False', '13:00:00', { message: '1 node is not ready' }),
      ],
    }),
    health: 'Degraded',
    message: '1 node is not ready',
  },
  {
    reason: 'nodes that have yet to come are work under way',
    given: aCluster(
      {
        progress: { step: 2, steps: 4, message: 'Creating machines' },
        conditions: [aCondition('Ready', 'False'), aCondition('NodesReady', 'False')],
      },
      { metadata: { generation: 2 } },
    ),
    health: 'Progressing',
    message: 'Creating machines',
  },
  { reason: 'nothing is in the way', given: aCluster({}, deleted), health: 'Deleting' },
  {
    reason: 'what is in the way of a deletion is named at once',
    given: aCluster({ deletion: { requestedAt: '', blockers: [blocker] } }, deleted),
    health: 'Deleting',
    message: 'It is in the network',
  },
  {
    reason: 'it has been in the way for long',
    given: aCluster(
      {
        deletion: { requestedAt: '', blockers: [blocker] },
        conditions: [aCondition('Deleting', 'True', '15:00:00', { reason: 'DeletionBlocked' })],
      },
      deleted,
    ),
    health: 'Blocked',
    message: 'It is in the network',
  },
];

describe('how a cluster stands', () => {
  it.each([
    { of: 'NodesReady', given: [aCondition('Ready', 'False'), aCondition('NodesReady', 'False')], advice: 'nodes' },
    { of: 'Ready', given: [aCondition('Ready', 'Unknown')], advice: 'silent' },
    { of: 'InSync', given: [aCondition('Ready', 'True'), aCondition('InSync', 'False')], advice: 'drift' },
    { of: 'PolicyCompliant', given: [aCondition('PolicyCompliant', 'False')], advice: 'policy' },
  ])('says since when, and what to do about $of, which does not say so itself', ({ given, advice }) => {
    const ready = [aCondition('Ready', 'True'), aCondition('ControlPlaneReady', 'True')];
    const stated = new Set(given.map(({ type }) => type));
    const conditions = [...given, ...ready.filter(({ type }) => !stated.has(type))];
    const since = '2026-01-31T12:00:00Z';
    expect(clusterHealth(aCluster({ conditions }))).toMatchObject({ health: 'Degraded', advice, since });
  });

  it.each(rows)('$health: $reason', ({ given, health, message }) => {
    expect(clusterHealth(given)).toMatchObject({ health, ...(message === undefined ? {} : { message }) });
  });
});

const aPlan = (name: string, reason: string, creationTimestamp = '2026-01-31T12:00:00Z'): Plan =>
  ({
    metadata: { name, creationTimestamp },
    status: { conditions: [aCondition('Ready', 'True', '12:00:00', { reason })] },
  }) as unknown as Plan;

describe('plans that wait for a decision', () => {
  it('are those that are ready, the oldest first', () => {
    const plans = [
      aPlan('newer', 'Ready', '2026-02-01T12:00:00Z'),
      aPlan('done', 'Executed'),
      aPlan('refused', 'Refused'),
      aPlan('older', 'Ready'),
    ];
    expect(undecided(plans).map(({ metadata }) => metadata.name)).toEqual(['older', 'newer']);
  });

  it.each<{ health: FleetHealth; want: FleetHealth; reason: string }>([
    { health: 'Healthy', want: 'Blocked', reason: 'as the fleet says of it' },
    { health: 'Degraded', want: 'Blocked', reason: 'somebody wants to mend it, perhaps' },
    { health: 'Failing', want: 'Failing', reason: 'what failed is worse' },
    { health: 'Deleting', want: 'Deleting', reason: 'what is planned is past' },
  ])('make $health $want: $reason', ({ health, want }) => {
    expect(healthWithPlans(health, [aPlan('grow', 'Ready')])).toBe(want);
    expect(healthWithPlans(health, [])).toBe(health);
  });
});
