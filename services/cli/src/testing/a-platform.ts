import type { PlatformService, PlatformStatus, ReplicaReport } from '@crate/api';

const AT = '2026-11-22T18:00:00.000Z';

export function aReplica(changes: Partial<ReplicaReport> = {}): ReplicaReport {
  return {
    ...{ name: 'lifecycle@one:7', host: 'one', pid: 7, version: '0.1.0', nodeVersion: 'v24.0.0' },
    ...{ startedAt: AT, lastSeen: AT, silentMs: 2_000, uptimeSeconds: 3_600, state: 'Ready', clockSkewMs: 1 },
    checks: [{ name: 'postgres', ok: true }],
    eventLoop: { utilization: 0.12 },
    memory: { residentBytes: 123_000_000, heapUsedBytes: 60_000_000 },
    nats: { connected: true, version: '2.10.0', roundTripMs: 0.4, reconnects: 0 },
    ...changes,
  };
}

export function aService(name: string, changes: Partial<PlatformService> = {}): PlatformService {
  return {
    ...{ name, state: 'Ready', answered: true, tookMs: 3, asOf: AT, missing: [], leases: [], runs: [] },
    ...{ omittedLeases: 0, replicas: [aReplica({ name: `${name}@one:7` })] },
    queues: [{ reconciler: 'thing', depth: 4, due: 0, oldestWaitSeconds: 0, inWork: 1, retrying: 0, mostAttempts: 0 }],
    ...changes,
  };
}

/** What a platform that is well tells of itself, but for what a test says. */
export function aPlatform(changes: Partial<PlatformStatus> = {}): PlatformStatus {
  return {
    ...{ kind: 'PlatformStatus', detail: 'full', at: AT, health: 'Healthy', version: '0.1.0', versions: ['0.1.0'] },
    ...{ problems: [], services: [aService('lifecycle'), aService('policy-mgmt')], clockSkewMs: 2 },
    nats: {
      ...{ connected: true, version: '2.10.0', roundTripMs: 0.5, reconnects: 0 },
      jetStream: { used: false, available: false, message: 'Nothing is kept there' },
    },
    postgres: [
      {
        ...{ name: 'crate', serverStartedAt: AT, version: '17.2', role: 'primary', standbys: 0, sizeBytes: 20_000_000 },
        ...{
          connections: { used: 31, most: 100 },
          oldestTransactionSeconds: 0,
          services: ['lifecycle', 'policy-mgmt'],
        },
      },
    ],
    certificates: [{ service: 'lifecycle', use: 'api', expiresAt: '2027-02-01T00:00:00.000Z' }],
    upgrade: { available: null, reason: 'UpToDate', message: '0.1.0 is the newest' },
    ...changes,
  };
}
