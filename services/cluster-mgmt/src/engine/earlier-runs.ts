import { PlatformError } from '@crate/errors';
import { ensureProcessGroupGone } from '@crate/process';
import type { EngineRun } from './engine-run.repository.js';
import { isSilent, type RunSilence } from './run-silence.js';

const LOOK_AGAIN_MS = 2_000;

/** Sees to it that nobody else works on a cluster before a new run begins. */
export class EarlierRuns {
  constructor(private readonly options: RunSilence) {}

  /** Ends what is left of a run that was never closed. Throws Unavailable (`EarlierRunAlive`) while it may still live. */
  async requireDead(run: EngineRun): Promise<void> {
    // A run without identity never made a step: identities are stored before the program may start.
    if (!run.identity) return;
    const state = await ensureProcessGroupGone(run.identity, this.options.graceMs);
    if (state === 'gone' || (state === 'elsewhere' && (await isSilent(run, this.options)))) return;
    throw stillAlive();
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
