import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { InMemoryMetrics, type Labels } from '@crate/telemetry';
import { aFleetCluster } from '../testing/a-fleet.js';
import { FleetIndex } from './fleet-index.js';
import { observeFleet } from './fleet-metrics.js';

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');
const FIRST_PASS = '2026-01-01T00:00:05Z';

let index: FleetIndex;
let metrics: InMemoryMetrics;
let uptime = 0;
beforeEach(() => {
  uptime = 0;
  index = new FleetIndex({ now: () => CREATED_MS + 7_200_000, uptime: () => uptime });
  metrics = new InMemoryMetrics();
  observeFleet(metrics, index);
  index.confirm('1', 0);
});

function deletedFor(reason: string, name: string): Cluster {
  const blocker = { kind: 'volume', name: 'vol-1', reason: 'VolumeLeft', message: 'It is left', since: FIRST_PASS };
  return aFleetCluster({
    name,
    metadata: { deletionTimestamp: FIRST_PASS },
    conditions: [{ type: 'Deleting', reason }],
    status: { deletion: { requestedAt: FIRST_PASS, blockers: [blocker] } },
  });
}

async function told(name: string, labels: Labels = {}): Promise<number | undefined> {
  await metrics.text();
  return metrics.value(name, labels);
}

describe('the fleet in numbers', () => {
  const healthy = { health: 'Healthy', provider: 'aws', version: 'v1.31.4' };

  it('counts clusters by how they stand, where they are and what they run', async () => {
    index.setProvider('team-a', 'sandbox', 'aws');
    index.put(aFleetCluster({ name: 'one' }));
    index.put(aFleetCluster({ name: 'two' }));
    index.put(aFleetCluster({ name: 'three', spec: { paused: true } }));
    expect(await told('crate_clusters', healthy)).toBe(2);
    expect(await told('crate_clusters', { ...healthy, health: 'Paused' })).toBe(1);
    expect(await told('crate_cluster_conditions', { condition: 'NodesReady', status: 'True' })).toBe(3);

    index.keepOnly(new Set());
    expect(await told('crate_clusters', healthy)).toBe(0);
    expect(await told('crate_cluster_conditions', { condition: 'NodesReady', status: 'True' })).toBe(0);
  });

  it('counts nodes, drift and phases', async () => {
    const phases = [
      { name: 'Policy', state: 'Done' as const, step: 1, steps: 1, message: '' },
      { name: 'Infrastructure', state: 'Running' as const, step: 0, steps: 1, message: '' },
    ];
    const conditions = [{ type: 'InSync', status: 'False' as const }];
    index.put(aFleetCluster({ conditions, status: { phases, nodes: { ready: 2, desired: 5 } } }));
    expect(await told('crate_cluster_nodes', { state: 'ready' })).toBe(2);
    expect(await told('crate_cluster_nodes', { state: 'wanted' })).toBe(5);
    expect(await told('crate_clusters_drifted')).toBe(1);
    expect(await told('crate_clusters_in_phase', { phase: 'Infrastructure' })).toBe(1);
  });

  it('counts deletions that something has been in the way of for too long', async () => {
    index.put(deletedFor('DeletionRequested', 'one'));
    expect(await told('crate_blocked_deletions')).toBe(0);
    index.put(deletedFor('DeletionBlocked', 'one'));
    index.put(deletedFor('DeletionBlocked', 'two'));
    expect(await told('crate_blocked_deletions')).toBe(2);
    index.put(deletedFor('DeletionRequested', 'one'));
    expect(await told('crate_blocked_deletions')).toBe(1);
  });

  it('tells how long the oldest deletion takes, and the oldest cluster that was never ready', async () => {
    expect(await told('crate_cluster_oldest_deletion_age_seconds')).toBe(0);
    index.put(aFleetCluster({ name: 'ready' }));
    expect(await told('crate_cluster_oldest_creation_age_seconds')).toBe(0);

    const never = ['Ready', 'Deleting'].map((type) => ({
      type,
      status: 'False' as const,
      lastTransitionTime: FIRST_PASS,
    }));
    const resumed = { type: 'Paused', status: 'False' as const, lastTransitionTime: '2026-01-01T01:30:00Z' };
    index.put(aFleetCluster({ name: 'paused', conditions: never, spec: { paused: true } }));
    expect(await told('crate_cluster_oldest_creation_age_seconds')).toBe(0);
    index.put(aFleetCluster({ name: 'paused', conditions: [...never, resumed] }));
    expect(await told('crate_cluster_oldest_creation_age_seconds')).toBe(1800);
    index.put(aFleetCluster({ name: 'awaited', conditions: never }));
    index.put(aFleetCluster({ name: 'going', metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } }));
    expect(await told('crate_cluster_oldest_creation_age_seconds')).toBe(7200);
    expect(await told('crate_cluster_oldest_deletion_age_seconds')).toBe(3600);
  });

  it('says nothing while it does not know', async () => {
    index.put(aFleetCluster());
    uptime = 60_000;
    expect(await told('crate_cluster_nodes', { state: 'wanted' })).toBeUndefined();
  });
});
