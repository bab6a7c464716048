import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProcess, RunRecord } from '../up/run-file.js';
import { isRunning } from '../up/run-file.js';
import { fail, ok, warn, type Check, type Finding } from './check.js';
import { metricsOf, sumOf, type Metrics } from './metrics.js';

const AREA = 'local platform';
const LOOK_MS = 5_000;
const BETWEEN_MS = 2_000;
const DEPTH = 'crate_reconcile_queue_depth';
/** Of a service, unless it is told otherwise: `CRATE_RECONCILE_LEASE_MS`. */
const LEASE_SECONDS = 12;
const PASSES = 'crate_reconcile_pass_seconds_count';

interface Readiness {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly message?: string }[];
}

/** What only the machine that it runs on can see of a platform. */
export function localChecks({ processes, readyAt }: RunRecord): readonly Check[] {
  const each = Object.entries(processes);
  const served = each.flatMap(([name, { healthUrl }]) => (healthUrl === undefined ? [] : [{ name, healthUrl }]));
  return [
    { area: AREA, name: 'started', look: () => startedFinding(readyAt) },
    ...each.map(([name, process]) => ({ area: AREA, name, look: async () => processFinding(name, process) })),
    ...served.map(({ name, healthUrl }) => ({
      area: AREA,
      name: `queue of ${name}`,
      look: async () => queueFinding(async () => metricsOf(healthUrl), BETWEEN_MS),
    })),
  ];
}

function startedFinding(readyAt: string | undefined): Finding {
  if (readyAt !== undefined) return ok(`Ready since ${readyAt}`);
  return warn('It is still starting', 'Wait a moment and look again; crate status shows how far it is');
}

async function processFinding(name: string, process: RunningProcess): Promise<Finding> {
  if (!isRunning(process)) return fail('Does not run', `It is started again by itself; if not, see logs/${name}.log`);
  if (process.healthUrl === undefined) return ok(`Process ${process.pid} runs`);
  const response = await fetch(`${process.healthUrl}/readyz`, { signal: AbortSignal.timeout(LOOK_MS) });
  return readinessFinding(name, (await response.json()) as Readiness);
}

export function readinessFinding(name: string, { ok: isReady, checks }: Readiness): Finding {
  const broken = checks
    .filter((check) => !check.ok)
    .map((check) => [check.name, check.message].filter(Boolean).join(': '));
  if (isReady) return ok(`Ready: reaches ${checks.map((check) => check.name).join(' and ')}`);
  return fail(`Not ready: ${broken.join('; ') || 'it does not say why'}`, `See logs/${name}.log`);
}

/** Work that is due must go down or be replaced by other work: somebody has to be at it. */
export async function queueFinding(look: () => Promise<Metrics>, betweenMs: number): Promise<Finding> {
  const before = await look();
  const due = sumOf(before, DEPTH, { state: 'due' });
  const leased = sumOf(before, DEPTH, { state: 'leased' });
  if (due === 0) return ok(`Nothing is due, ${leased} under way`);
  await delay(betweenMs);
  const after = await look();
  const passes = sumOf(after, PASSES) - sumOf(before, PASSES);
  const message = `${due} due, ${leased} under way, ${passes} passes within ${betweenMs / 1000} s`;
  if (passes > 0 || sumOf(after, DEPTH, { state: 'due' }) < due) return ok(message);
  return warn(
    `Work is due and nothing moves: ${message}`,
    `Look again in a minute; leases of a replica that died end after ${LEASE_SECONDS} s`,
  );
}
