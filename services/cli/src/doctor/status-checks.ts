import { PLATFORM_STATUS_PATH, type PlatformProblem, type PlatformStatus, type PlatformSummary } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { isReady, readyOf } from '../platform/platform-text.js';
import { fail, ok, skip, warn, type Check, type Finding } from './check.js';

type Area = PlatformProblem['area'];

/** What is said of an area that is well. */
const WELL: Readonly<Record<Area, { readonly name: string; readonly words: (status: PlatformStatus) => string }>> = {
  service: { name: 'replicas', words: replicaWords },
  queue: { name: 'queues', words: queueWords },
  lease: { name: 'locks', words: leaseWords },
  nats: { name: 'nats', words: ({ nats }) => `${nats.version ?? 'Connected'}, ${nats.roundTripMs ?? '-'} ms` },
  postgres: { name: 'postgres', words: postgresWords },
  certificate: { name: 'certificates', words: ({ certificates }) => `${certificates.length}, none ends soon` },
  clock: { name: 'clocks', words: ({ clockSkewMs = 0 }) => `${Math.round(clockSkewMs)} ms apart` },
  marketplace: { name: 'marketplace', words: marketplaceWords },
  recovery: { name: 'recovery', words: () => 'None is under way' },
  version: { name: 'versions', words: ({ versions, upgrade }) => `${versions.join(', ')}; ${upgrade.message}` },
};

/** What a platform says of itself, wherever it runs: an area each, with what to do about what is wrong there. */
export function statusChecks(api: Pick<ApiClient, 'get'>): readonly Omit<Check, 'area'>[] {
  let asked: Promise<PlatformStatus | PlatformSummary> | undefined;
  const read = (): Promise<PlatformStatus | PlatformSummary> => (asked ??= api.get(PLATFORM_STATUS_PATH));
  return (Object.keys(WELL) as Area[]).map((area) => ({
    name: `platform ${WELL[area].name}`,
    look: async () => {
      try {
        return findingOf(area, await read());
      } catch (error) {
        if (hasCode(error, 'NotFound')) return skip('The platform is of a release that does not tell');
        throw error;
      }
    },
  }));
}

/** Several problems of an area are one finding, the worst first. */
export function findingOf(area: Area, status: PlatformStatus | PlatformSummary): Finding {
  if (status.detail === 'summary')
    return area === 'service' ? summaryFinding(status) : skip('Told to platform administrators');
  const problems = status.problems.filter((problem) => problem.area === area);
  if (problems.length === 0) return ok(WELL[area].words(status));
  const message = problems.map(({ subject, message: words }) => `${subject}: ${words}`).join('; ');
  const remedy = [...new Set(problems.map((problem) => problem.remedy))].join('; ');
  return problems.some(({ severity }) => severity === 'critical') ? fail(message, remedy) : warn(message, remedy);
}

function summaryFinding(status: PlatformSummary): Finding {
  if (isReady(status)) return ok(`All ${status.services.length} services are ready`);
  const unwell = status.services.filter(({ state }) => state !== 'Ready').map(({ name, state }) => `${name}: ${state}`);
  const message = `The platform is ${status.health}${unwell.length > 0 ? `: ${unwell.join(', ')}` : ''}`;
  const remedy = 'Tell who runs the platform; crate doctor tells them more';
  return status.health === 'Failing' ? fail(message, remedy) : warn(message, remedy);
}

function replicaWords({ services }: PlatformStatus): string {
  const counts = services.map(readyOf);
  const ready = counts.reduce((sum, each) => sum + each.ready, 0);
  return `${ready} replicas of ${services.length} services are ready`;
}

function queueWords({ services }: PlatformStatus): string {
  const queues = services.flatMap((service) => service.queues);
  const sum = (field: 'depth' | 'due' | 'inWork'): number => queues.reduce((total, queue) => total + queue[field], 0);
  return `${sum('depth')} keys, ${sum('due')} due, ${sum('inWork')} in work`;
}

function leaseWords({ services }: PlatformStatus): string {
  const held = services.reduce((sum, { leases, omittedLeases }) => sum + leases.length + omittedLeases, 0);
  return `${held} are held, by none who is gone for good`;
}

function postgresWords({ postgres }: PlatformStatus): string {
  const words = postgres.map(
    ({ version, role, connections: { used, most } }) => `${version}, ${role}, ${used} of ${most} connections`,
  );
  return words.join('; ') || 'Nobody tells of one';
}

function marketplaceWords({ marketplace }: PlatformStatus): string {
  return marketplace?.message ?? 'Crate was not bought there';
}
