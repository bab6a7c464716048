import { RunLiveness } from '@crate/process';
import type { EngineRunRepository } from './engine-run.repository.js';
import { HEARTBEAT_MS } from './run-heartbeat.js';

/** What decides for how long a run of another host may live on. */
export interface EngineTimes {
  /** How long a pass holds its key without renewing. */
  readonly leaseMs: number;
  /** From asking a run to stop until it is killed. */
  readonly graceMs: number;
}

/**
 * What is asked whether earlier runs are over. Whoever lost the lease asks the program to stop before the lease is over, and kills it after the
 * grace; the lease may have been renewed as late as just before the next sign of life was due.
 */
export function engineLiveness(
  runs: Pick<EngineRunRepository, 'now'>,
  { leaseMs, graceMs }: EngineTimes,
  elapsedMs?: () => number,
): RunLiveness {
  const silentAfterMs = leaseMs + graceMs + HEARTBEAT_MS;
  return new RunLiveness({ now: () => runs.now(), silentAfterMs, ...(elapsedMs && { elapsedMs }) });
}
