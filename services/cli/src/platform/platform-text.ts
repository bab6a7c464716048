import type { PlatformService, PlatformStatus, PlatformSummary, ReplicaReport } from '@crate/api';
import { formatDuration } from '../objects/duration.js';
import { formatTable } from '../progress/table.js';

const MEGABYTE = 1_000_000;

/** How a platform is, for people at a terminal. */
export function platformLines(server: string, status: PlatformStatus | PlatformSummary): readonly string[] {
  const head = `Crate ${status.version} at ${server}: ${status.health}`;
  if (status.detail === 'summary') {
    const rows = status.services.map(({ name, state }) => [name, state]);
    return [head, '', ...indented(formatTable(['SERVICE', 'STATE'], rows))];
  }
  return [
    ...[head, '', ...indented(servicesTable(status.services))],
    ...['', ...indented(replicasTable(status.services))],
    ...['', ...indented(factLines(status))],
    ...problemLines(status),
  ];
}

/** True when nobody has to wait for anything: no service is silent, starting or short of a replica. */
export function isReady({ health, services }: PlatformStatus | PlatformSummary): boolean {
  return health !== 'Failing' && services.every(({ state }) => state === 'Ready');
}

/** How many of those that should be there are ready. */
export function readyOf({ replicas }: PlatformService): { readonly ready: number; readonly all: number } {
  const counted = replicas.filter(({ state }) => state !== 'Stopped' && state !== 'Replaced');
  return { ready: counted.filter(({ state }) => state === 'Ready').length, all: counted.length };
}

function servicesTable(services: readonly PlatformService[]): readonly string[] {
  const rows = services.map((service) => {
    const { ready, all } = readyOf(service);
    const sum = (field: 'depth' | 'due' | 'inWork'): string =>
      String(service.queues.reduce((total, queue) => total + queue[field], 0));
    const oldest = Math.max(0, ...service.queues.map(({ oldestWaitSeconds }) => oldestWaitSeconds));
    const wait = oldest > 0 ? formatDuration(oldest * 1_000) : '-';
    return [service.name, service.state, `${ready}/${all}`, sum('depth'), sum('due'), wait, sum('inWork')];
  });
  return formatTable(['SERVICE', 'STATE', 'READY', 'KEYS', 'DUE', 'OLDEST', 'IN WORK'], rows);
}

function replicasTable(services: readonly PlatformService[]): readonly string[] {
  const rows = services.flatMap(({ replicas }) => replicas).map(replicaRow);
  return formatTable(['REPLICA', 'STATE', 'VERSION', 'UP', 'SEEN', 'LOOP', 'MEMORY', 'CLOCK', 'NATS'], rows);
}

function replicaRow(replica: ReplicaReport): readonly string[] {
  const { name, state, version, uptimeSeconds, silentMs, eventLoop, memory, clockSkewMs, nats } = replica;
  return [
    ...[name, state, version, formatDuration(uptimeSeconds * 1_000), formatDuration(silentMs)],
    `${Math.round(eventLoop.utilization * 100)}%`,
    `${Math.round(memory.residentBytes / MEGABYTE)}MB`,
    clockSkewMs === undefined ? '-' : `${Math.round(clockSkewMs)}ms`,
    nats.connected ? `${nats.roundTripMs ?? '-'}ms` : 'away',
  ];
}

function factLines({ nats, postgres, services, upgrade }: PlatformStatus): readonly string[] {
  const held = services.reduce((sum, { leases, omittedLeases }) => sum + leases.length + omittedLeases, 0);
  const runs = services.reduce((sum, service) => sum + service.runs.length, 0);
  return [
    `NATS ${nats.connected ? `${nats.version ?? ''}, ${nats.roundTripMs ?? '-'} ms there and back` : 'is away'}`,
    ...postgres.map(
      ({ version, role, connections: { used, most }, services: of }) =>
        `PostgreSQL ${version}, ${role}, ${used} of ${most} connections, of ${of.join(', ')}`,
    ),
    `${runs} runs under way, ${held} leases and locks`,
    `Upgrade: ${upgrade.message}`,
  ];
}

function problemLines({ problems }: PlatformStatus): readonly string[] {
  const lines = problems.flatMap(({ severity, subject, message, remedy }) => [
    `${severity === 'critical' ? 'FAILS' : 'WARNS'}  ${subject}: ${message}`,
    `       → ${remedy}`,
  ]);
  return lines.length === 0 ? [] : ['', ...lines];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
