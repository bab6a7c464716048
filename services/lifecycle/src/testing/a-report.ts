import type { ReplicaReport, ServiceReport } from '@crate/api';

const AT = '2026-11-22T18:00:00.000Z';

/** A replica that is well, but for what a test says. */
export function aReplica(changes: Partial<ReplicaReport> = {}): ReplicaReport {
  return {
    ...{ name: 'policy-mgmt@one:7', host: 'one', pid: 7, version: '0.1.0', nodeVersion: 'v24.0.0' },
    ...{ startedAt: AT, lastSeen: AT, silentMs: 1_000, uptimeSeconds: 60, state: 'Ready' },
    checks: [{ name: 'postgres', ok: true }],
    eventLoop: { utilization: 0.1 },
    memory: { residentBytes: 100, heapUsedBytes: 50 },
    clockSkewMs: 3,
    nats: { connected: true, server: 'nats', version: '2.10.0', roundTripMs: 0.4, reconnects: 0 },
    ...changes,
  };
}

/** What a service that is well tells of itself, but for what a test says. */
export function aReport(changes: Partial<ServiceReport> = {}): ServiceReport {
  return {
    ...{ service: 'policy-mgmt', at: AT, answeredBy: 'policy-mgmt@one:7', omittedLeases: 0 },
    ...{ leases: [], runs: [], certificates: [], missing: [] },
    replicas: [aReplica()],
    queues: [{ reconciler: 'policy', depth: 4, due: 0, oldestWaitSeconds: 0, inWork: 0, retrying: 0, mostAttempts: 0 }],
    database: {
      ...{ name: 'crate', serverStartedAt: AT, version: '17.2', role: 'primary', standbys: 0, sizeBytes: 1_000 },
      connections: { used: 20, most: 100 },
      oldestTransactionSeconds: 0,
      migrations: { applied: 12, latest: '20261122120000_policy_documents' },
    },
    ...changes,
  };
}
