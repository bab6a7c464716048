import type { DatabaseReport, PlatformHealth, PlatformService, PlatformStatus, PlatformSummary } from '@crate/api';
import { platformProblems } from './problems/platform-problems.js';
import type { ServiceAnswer } from './service-answers.js';
import { serviceOfAnswer } from './service-of-answer.js';

/** What the replica that answers knows by itself. */
export interface OwnFacts {
  readonly at: Date;
  readonly version: string;
  /** Whether it looks after the cluster that it runs in, and no other. */
  readonly inCluster?: boolean;
  readonly nats: Omit<PlatformStatus['nats'], 'jetStream'>;
  /** Whether the NATS server could keep messages. */
  readonly hasJetStream: boolean;
  readonly upgrade: PlatformStatus['upgrade'];
  /** Undefined: not bought there. */
  readonly marketplace?: PlatformStatus['marketplace'];
}

/** Puts together what everybody said. Pure. */
export function composeStatus(answers: readonly ServiceAnswer[], own: OwnFacts): PlatformStatus {
  const services = answers.map(serviceOfAnswer);
  const told = {
    at: own.at.toISOString(),
    version: own.version,
    ...(own.inCluster === true ? { inCluster: true } : {}),
    versions: versionsOf(services),
    services,
    nats: { ...own.nats, jetStream: jetStream(own.hasJetStream) },
    postgres: serversOf(answers),
    certificates: answers.flatMap(({ service, report }) =>
      (report?.certificates ?? []).map((certificate) => ({ service, ...certificate })),
    ),
    ...skewOf(services),
    upgrade: own.upgrade,
    ...(own.marketplace === undefined ? {} : { marketplace: own.marketplace }),
  };
  const problems = [...platformProblems(told)];
  const health = healthOf(problems.map(({ severity }) => severity));
  return { kind: 'PlatformStatus', detail: 'full', health, problems, ...told };
}

/** What everybody may know of it: no hosts, no holders, nothing of Projects. Pure. */
export function summaryOf({ kind, at, health, version, inCluster, services }: PlatformStatus): PlatformSummary {
  return {
    kind,
    detail: 'summary',
    at,
    health,
    version,
    ...(inCluster === undefined ? {} : { inCluster }),
    services: services.map(({ name, state }) => ({ name, state })),
  };
}

function healthOf(severities: readonly string[]): PlatformHealth {
  if (severities.includes('critical')) return 'Failing';
  return severities.length > 0 ? 'Degraded' : 'Healthy';
}

function jetStream(available: boolean): PlatformStatus['nats']['jetStream'] {
  const message = 'Core NATS only: nothing is kept there, so there is no backlog; work that waits is in the queues';
  return { used: false, available, message };
}

function livingOf(services: readonly PlatformService[]): PlatformService['replicas'] {
  return services.flatMap(({ replicas }) => replicas).filter(({ state }) => state === 'Ready' || state === 'NotReady');
}

function versionsOf(services: readonly PlatformService[]): string[] {
  return [...new Set(livingOf(services).map(({ version }) => version))].sort();
}

function skewOf(services: readonly PlatformService[]): { readonly clockSkewMs?: number } {
  const skews = livingOf(services).flatMap(({ clockSkewMs }) => (clockSkewMs === undefined ? [] : [clockSkewMs]));
  return skews.length === 0 ? {} : { clockSkewMs: Math.max(...skews) - Math.min(...skews) };
}

/** Databases of services on one server are one; what a silent service said of its own is not told any more. */
function serversOf(answers: readonly ServiceAnswer[]): PlatformStatus['postgres'] {
  const servers = new Map<string, PlatformStatus['postgres'][number]>();
  for (const { service, answered, report } of answers) {
    if (!answered || !report?.database) continue;
    const { migrations: _own, ...database } = report.database;
    const key = keyOf(database);
    const known = servers.get(key);
    const worst = known === undefined ? database : worstOf(known, database);
    servers.set(key, { ...worst, services: [...(known?.services ?? []), service] });
  }
  return [...servers.values()];
}

type Database = Omit<DatabaseReport, 'migrations'>;

/** Each looks for itself, and knows of the transactions of others only what it has seen. */
function worstOf(one: Database, other: Database): Database {
  const { connections, oldestTransactionSeconds: oldest } = other;
  return {
    ...one,
    connections: connections.used > one.connections.used ? connections : one.connections,
    oldestTransactionSeconds: Math.max(one.oldestTransactionSeconds, oldest),
  };
}

function keyOf({ name, serverStartedAt, version }: Database): string {
  return JSON.stringify([name, serverStartedAt, version]);
}
