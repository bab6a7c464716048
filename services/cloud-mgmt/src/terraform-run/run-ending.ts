import { RunLiveness } from '@crate/process';
import type { CloudMgmtConfig } from '../config.js';
import type { TerraformRunRepository } from './terraform-run.repository.js';

/** How often a run tells that it lives. */
export const HEARTBEAT_MS = 10_000;

/** How a run comes to an end whose pass has lost the right to go on. */
export interface RunEnding {
  /** How long a process of an earlier pass may finish. */
  readonly graceMs: number;
  /** How long a run of another host was silent that is over. */
  readonly silentAfterMs: number;
  /** What all of a process ask whether one is. Default, for tests: each has its own. */
  readonly liveness?: RunLiveness;
}

interface Times {
  readonly reconcile: Pick<CloudMgmtConfig['reconcile'], 'leaseMs'>;
  readonly terraform: Pick<CloudMgmtConfig['terraform'], 'graceMs'>;
}

/**
 * Whoever cannot tell any more that a run lives gives it up with the lease, and Terraform may then go on for the grace. One sign of life may
 * just have been left out.
 */
export function runEnding({ reconcile, terraform: { graceMs } }: Times): RunEnding {
  return { graceMs, silentAfterMs: reconcile.leaseMs + graceMs + HEARTBEAT_MS };
}

/** What is asked whether earlier runs are over. */
export function livenessOf(
  runs: Pick<TerraformRunRepository, 'now'>,
  { liveness, silentAfterMs }: Pick<RunEnding, 'liveness' | 'silentAfterMs'>,
): RunLiveness {
  return liveness ?? new RunLiveness({ now: () => runs.now(), silentAfterMs });
}
