import type { CertificateReport, LeaseReport, ReplicaReport, RunReport, ServiceReport } from '@crate/api';
import type { Database } from '@crate/database';
import type { connectNats, ConnectNatsOptions, ServiceMethod } from '@crate/messaging';
import type { HealthRegistry, Logger } from '@crate/telemetry';
import { WorkOverview } from '@crate/work-queue';
import { natsCertificates } from '../metrics/nats-metrics.js';
import type { ServerWatch } from '../metrics/server-watch.js';
import { sharedSource } from '../metrics/shared-source.js';
import type { RecoveryState } from '../recovery/recovery-state.js';
import { databaseReport } from './database-status.js';
import { ReplicaBeat } from './replica-beat.js';
import { newReplica } from './replica-identity.js';
import { ReplicaRepository, stateBy } from './replica.repository.js';
import { ReplicaVitalsReader } from './replica-vitals.js';
import { statusLooks, type Found } from './status-looks.js';
import { leaseReport, workReport } from './work-status.js';

/** What a service tells beyond what every service does; each is given a second. */
export interface StatusParts {
  readonly leases?: () => Promise<readonly LeaseReport[]>;
  readonly runs?: () => Promise<readonly RunReport[]>;
  readonly certificates?: () => Promise<readonly CertificateReport[]>;
}

export interface ServiceStatusOptions {
  readonly service: string;
  readonly database: Database;
  readonly databaseServer: ServerWatch;
  readonly nats: Awaited<ReturnType<typeof connectNats>>;
  readonly tls?: ConnectNatsOptions['tls'];
  readonly health: HealthRegistry;
  readonly recovery: Pick<RecoveryState, 'find'>;
  readonly logger: Logger;
}

const PART_MS = 1_000;
const DATABASE_AWAY = [{ name: 'postgres', ok: false, message: 'It does not answer in time' }];

/** How this service is, over all of its replicas; whichever is asked answers for all. */
export class ServiceStatus {
  /** How this process itself is. */
  readonly vitals: ReplicaVitalsReader;
  private readonly replica;
  private readonly beat: ReplicaBeat;
  private readonly look: () => Promise<Found>;
  private readonly shared = sharedSource(async () => this.reportOf(await this.look()));
  private parts: StatusParts = {};
  private reconcilers: readonly string[] = [];

  constructor(private readonly options: ServiceStatusOptions) {
    const { service, database, databaseServer, nats, health, recovery, logger } = options;
    const replica = newReplica(service);
    const replicas = new ReplicaRepository(database);
    const overview = new WorkOverview(database);
    this.replica = replica;
    this.vitals = new ReplicaVitalsReader(nats, health);
    this.beat = new ReplicaBeat({ replica, replicas, vitals: this.vitals, logger });
    const looks = {
      replicas: () => replicas.list(),
      queue: () => workReport(overview, this.reconcilers),
      database: () => databaseReport(database, databaseServer),
      recovery: () => recovery.find(),
      leases: async () => (await this.parts.leases?.()) ?? [],
      runs: async () => (await this.parts.runs?.()) ?? [],
      certificates: () => this.certificates(),
    };
    this.look = statusLooks(looks, PART_MS);
  }

  /** From its end on the process is known as a replica, where the database answers. */
  async start({
    parts,
    reconcilers,
  }: {
    readonly parts: StatusParts;
    readonly reconcilers: readonly string[];
  }): Promise<void> {
    [this.parts, this.reconcilers] = [parts, reconcilers];
    await this.beat.start();
  }

  /** How this process is has changed: that is said at once. */
  changed(): void {
    void this.beat.start();
  }

  async stop(): Promise<void> {
    await this.beat.stop();
  }

  /** Never throws, and answers within little more than a second: what cannot be found out in time is named. */
  async report(): Promise<ServiceReport> {
    return this.shared();
  }

  private async reportOf(found: Found): Promise<ServiceReport> {
    const { queue, database, recovery, leases = [], runs = [], certificates = [], missing } = found;
    const replicas = found.replicas ?? [await this.ownReport()];
    const work = queue ?? { queues: [], leases: [], omittedLeases: 0 };
    return {
      service: this.options.service,
      at: new Date().toISOString(),
      answeredBy: this.replica.name,
      replicas: [...replicas],
      queues: [...work.queues],
      leases: [...leases, ...work.leases.map((each) => leaseReport(each, replicas))],
      omittedLeases: work.omittedLeases,
      runs: [...runs],
      certificates: [...certificates],
      ...(database ? { database } : {}),
      ...(recovery ? { recovering: { since: recovery.begunAt.toISOString(), reason: recovery.reason } } : {}),
      missing,
    };
  }

  /** When the database does not say who else is there: a single late answer of it does not take back what was said just now. */
  private async ownReport(): Promise<ReplicaReport> {
    const { name, host, pid } = this.replica;
    const uptimeSeconds = Math.round(process.uptime());
    const now = Date.now();
    const checks = this.beat.lastWord?.checks ?? DATABASE_AWAY;
    return {
      ...{ name, host, pid, silentMs: 0, uptimeSeconds, state: stateBy(checks) },
      startedAt: new Date(now - uptimeSeconds * 1_000).toISOString(),
      lastSeen: new Date(now).toISOString(),
      ...(await this.vitals.read(undefined, checks)),
    };
  }

  private async certificates(): Promise<readonly CertificateReport[]> {
    const own = (await this.parts.certificates?.()) ?? [];
    const ofNats = await natsCertificates(this.options.tls);
    return [...own, ...ofNats.map(({ use, validTo }) => ({ use: `nats-${use}`, expiresAt: validTo.toISOString() }))];
  }
}

/** The method by which lifecycle asks. */
export function statusMethods(status: Pick<ServiceStatus, 'report'>): Readonly<Record<string, ServiceMethod>> {
  return { status: { scope: 'status:read', handle: () => status.report() } };
}
