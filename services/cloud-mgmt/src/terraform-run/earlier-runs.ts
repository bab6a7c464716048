import type { RunEnd, RunLiveness } from '@crate/process';
import { livenessOf, type RunEnding } from './run-ending.js';
import type { TerraformRunRepository } from './terraform-run.repository.js';

export interface EarlierRunsOptions extends RunEnding, Pick<RunEnd, 'endProcesses'> {
  readonly runs: TerraformRunRepository;
}

/** Sees to it that nobody else works on an Infrastructure before a new run begins. */
export class EarlierRuns {
  private readonly liveness: RunLiveness;

  constructor(private readonly options: EarlierRunsOptions) {
    this.liveness = livenessOf(options.runs, options);
  }

  /**
   * Proves every run that was never closed dead, and closes it. Throws Unavailable (`EarlierRunAlive`)
   * while one may still live. Idempotent.
   */
  async settle(infrastructureUid: string, closeRuntime: (id: string) => Promise<void>): Promise<void> {
    await this.liveness.look();
    for (const run of await this.options.runs.listOpen(infrastructureUid)) {
      await this.liveness.requireDead(run, { ...this.options, program: 'Terraform' });
      // What a killed command has asked the provider for may still come about: only then can be seen what there is.
      if (run.runtimeId !== undefined) await closeRuntime(run.runtimeId);
      await this.options.runs.close(run.id, 'interrupted');
    }
  }
}
