import { PlatformError } from '@crate/errors';
import { ensureProcessGroupGone, type GroupState, type ProcessIdentity } from '@crate/process';
import type { RunEnding } from './run-ending.js';
import { RunSilence } from './run-silence.js';
import type { TerraformRun, TerraformRunRepository } from './terraform-run.repository.js';

const LOOK_AGAIN_MS = 5_000;

export interface EarlierRunsOptions extends RunEnding {
  readonly runs: TerraformRunRepository;
  readonly endProcesses?: (identity: ProcessIdentity, graceMs: number) => Promise<GroupState>;
}

/** Sees to it that nobody else works on an Infrastructure before a new run begins. */
export class EarlierRuns {
  private readonly silence: RunSilence;

  constructor(private readonly options: EarlierRunsOptions) {
    this.silence = options.silence ?? new RunSilence(options);
  }

  /**
   * Proves every run that was never closed dead, and closes it. Throws Unavailable (`EarlierRunAlive`)
   * while one may still live. Idempotent.
   */
  async settle(infrastructureUid: string, closeRuntime: (id: string) => Promise<void>): Promise<void> {
    await this.silence.look();
    for (const run of await this.options.runs.listOpen(infrastructureUid)) {
      if (!(await this.isDead(run))) throw stillAlive();
      // What a killed command has asked the provider for may still come about: only then can be seen what there is.
      if (run.runtimeId !== undefined) await closeRuntime(run.runtimeId);
      await this.options.runs.close(run.id, 'interrupted');
    }
  }

  private async isDead(run: TerraformRun): Promise<boolean> {
    // No command was ever let go.
    if (!run.identity) return true;
    const end = this.options.endProcesses ?? ensureProcessGroupGone;
    const state = await end(run.identity, this.options.graceMs);
    return state === 'elsewhere' ? this.silence.isSilent(run) : state === 'gone';
  }
}

function stillAlive(): PlatformError {
  return new PlatformError('Unavailable', 'An earlier run of Terraform may still be alive', {
    details: {
      reason: 'EarlierRunAlive',
      remedy: 'Nothing to do: it goes on once the earlier run is proven dead',
      retryAfterMs: LOOK_AGAIN_MS,
    },
  });
}
