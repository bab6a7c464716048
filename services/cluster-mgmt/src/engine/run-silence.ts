import type { EngineRun, EngineRunRepository } from './engine-run.repository.js';
import { HEARTBEAT_MS } from './run-heartbeat.js';

/** What decides for how long a run of another host may live on. */
export interface RunSilence {
  readonly runs: Pick<EngineRunRepository, 'now'>;
  /** How long a pass holds its key without renewing. */
  readonly leaseMs: number;
  /** From asking a run to stop until it is killed. */
  readonly graceMs: number;
}

/**
 * True when a run is over that only its own host could look at. Whoever lost the lease asks the program to stop before the lease is over, and
 * kills it after the grace; the lease may have been renewed as late as just before the next sign of life was due.
 */
export async function isSilent(
  { heartbeatAt }: Pick<EngineRun, 'heartbeatAt'>,
  { runs, leaseMs, graceMs }: RunSilence,
): Promise<boolean> {
  return (await runs.now()).getTime() - heartbeatAt.getTime() > leaseMs + graceMs + HEARTBEAT_MS;
}
