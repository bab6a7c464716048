import { PlatformError } from '@crate/errors';
import { ensureProcessGroupGone } from '@crate/process';
import type { EngineRun, EngineRunRepository } from './engine-run.repository.js';
import { HEARTBEAT_MS } from './run-heartbeat.js';

const LOOK_AGAIN_MS = 2_000;

export interface EarlierRunsOptions {
  readonly runs: Pick<EngineRunRepository, 'now'>;
  /** How long a pass holds its key without renewing. */
  readonly leaseMs: number;
  /** From asking a run to stop until it is killed. */
  readonly graceMs: number;
}

/** Sees to it that nobody else works on a cluster before a new run begins. */
export class EarlierRuns {
  constructor(private readonly options: EarlierRunsOptions) {}

  /** Ends what is left of a run that was never closed. Throws Unavailable (`EarlierRunAlive`) while it may still live. */
  async requireDead(run: EngineRun): Promise<void> {
    // A run without identity never made a step: identities are stored before the program may start.
    if (!run.identity) return;
    const state = await ensureProcessGroupGone(run.identity, this.options.graceMs);
    if (state === 'gone' || (state === 'elsewhere' && (await this.isSilent(run)))) return;
    throw stillAlive();
  }

  /**
   * Only its own host could look. Whoever lost the lease asks the program to stop before the lease is over, and kills it after the grace;
   * the lease may have been renewed as late as just before the next sign of life was due.
   */
  private async isSilent({ heartbeatAt }: EngineRun): Promise<boolean> {
    const { runs, leaseMs, graceMs } = this.options;
    return (await runs.now()).getTime() - heartbeatAt.getTime() > leaseMs + graceMs + HEARTBEAT_MS;
  }
}

function stillAlive(): PlatformError {
  return new PlatformError('Unavailable', 'An earlier run of the engine may still be alive', {
    details: {
      reason: 'EarlierRunAlive',
      remedy: 'Nothing to do: it goes on once the earlier run is proven dead',
      retryAfterMs: LOOK_AGAIN_MS,
    },
  });
}
