import { describe, expect, it } from '@jest/globals';
import type { Cluster, Condition } from '@crate/api';
import { InMemoryMetrics } from '@crate/telemetry';
import { aCluster, deleting, ready } from '../testing/a-cluster.js';
import { JourneyMetrics } from './journey-metrics.js';

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');
const FIRST_PASS = '2026-01-01T00:00:01Z';
const RESUMED = '2026-01-01T00:04:00Z';
const LATER = '2026-01-01T05:00:00Z';

function standing(status: Condition['status'], since: string): Cluster {
  const notDeleting = { ...ready('False'), type: 'Deleting', lastTransitionTime: FIRST_PASS };
  const readiness: Condition = { ...ready(), status, lastTransitionTime: since };
  return { ...aCluster(), status: { conditions: [readiness, notDeleting] } };
}

function resumed(cluster: Cluster): Cluster {
  const paused: Condition = { ...ready('False'), type: 'Paused', lastTransitionTime: RESUMED };
  return { ...cluster, status: { conditions: [...(cluster.status?.conditions ?? []), paused] } };
}

function journeys(): { metrics: InMemoryMetrics; journey: JourneyMetrics } {
  const metrics = new InMemoryMetrics();
  return { metrics, journey: new JourneyMetrics(metrics, () => CREATED_MS + 300_000) };
}

describe('the time to a cluster', () => {
  it.each([
    {
      name: 'is told when it is Ready',
      before: standing('False', FIRST_PASS),
      after: standing('True', LATER),
      want: [300],
    },
    {
      name: 'is told when the first pass found it Ready',
      before: aCluster(),
      after: standing('True', FIRST_PASS),
      want: [300],
    },
    {
      name: 'is told from when it was let go on, of one that was paused',
      before: standing('False', FIRST_PASS),
      after: resumed(standing('True', LATER)),
      want: [60],
    },
    { name: 'is not told while it is not Ready', before: aCluster(), after: standing('False', FIRST_PASS), want: [] },
    {
      name: 'is not told again of one that stays Ready',
      before: standing('True', LATER),
      after: standing('True', LATER),
      want: [],
    },
    {
      name: 'is not told of one that recovers',
      before: standing('False', LATER),
      after: standing('True', LATER),
      want: [],
    },
  ])('$name', ({ before, after, want }) => {
    const { metrics, journey } = journeys();
    journey.passed(before, after);
    expect(metrics.observed('crate_cluster_time_to_ready_seconds')).toEqual(want);
  });
});

describe('the time of a deletion', () => {
  it('is told when nothing is left', () => {
    const { metrics, journey } = journeys();
    journey.gone(deleting(aCluster()));
    expect(metrics.observed('crate_cluster_deletion_seconds')).toEqual([300]);
  });
});
