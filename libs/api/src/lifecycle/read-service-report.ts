import { z } from 'zod';
import { REPLICA_STATES, serviceReportSchema, type ServiceReport } from './service-report.js';

const { queues, leases, runs, certificates, database, replicas } = serviceReportSchema.shape;

/** What a report tells still without: what it cannot be read of is left out. */
const SPARED = {
  queues: queues.element,
  leases: leases.element,
  runs: runs.element,
  certificates: certificates.element,
  database: database.unwrap(),
};

const replica = z.preprocess(
  (given) => (isObject(given) && !isKnown(given['state']) ? { ...given, state: 'NotReady' } : given),
  replicas.element,
);

type Part = keyof typeof SPARED;

/**
 * What a service tells of itself, in whichever release: services are upgraded one by one, and what one says of a run must not make it look
 * silent. Entries of a form that is not known are left out, and `missing` says so; a replica in an unknown state counts as not ready.
 * Undefined for what does not even tell the replicas.
 */
export function readServiceReport(given: unknown): ServiceReport | undefined {
  const whole = serviceReportSchema.safeParse(given);
  if (whole.success || !isObject(given)) return whole.data;
  const parts = (Object.keys(SPARED) as Part[]).map((part) => partOf(part, given[part]));
  const told = z.array(z.unknown()).safeParse(given['missing']).data ?? [];
  const known = {
    ...given,
    ...Object.fromEntries(parts.map(({ part, value }) => [part, value])),
    replicas: z.array(replica).safeParse(given['replicas']).data,
    missing: [...told, ...parts.flatMap(({ left }) => left)],
  };
  return serviceReportSchema.safeParse(known).data;
}

function partOf(part: Part, given: unknown): { part: Part; value: unknown; left: ServiceReport['missing'] } {
  const entries: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
  const known = entries.filter((entry) => SPARED[part].safeParse(entry).success);
  const unknown = entries.length - known.length;
  const message = `${unknown} of ${entries.length} are of a form that this release does not know`;
  return { part, value: Array.isArray(given) ? known : known[0], left: unknown > 0 ? [{ part, message }] : [] };
}

function isKnown(state: unknown): boolean {
  return REPLICA_STATES.some((known) => known === state);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
