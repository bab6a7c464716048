import { randomUUID } from 'node:crypto';
import type { StateLock } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { withSpan, type Histogram } from '@crate/telemetry';
import { terraformFailureOf, type TerraformRunner, type TerraformRunOptions } from '@crate/terraform';
import type { TerraformRuntime } from '../provider/cloud-provider.js';
import { lockOfRun } from '../terraform-state/run-holder.js';
import { EarlierRuns } from './earlier-runs.js';
import type { RunEnding } from './run-ending.js';
import { countedAs } from './run-metrics.js';
import { RunRecord, type RunRecordParts } from './run-record.js';
import type { NewTerraformRun, TerraformRunEnd } from './terraform-run.repository.js';

/** What a run is, and its way to the provider. */
export interface RunTask extends Omit<NewTerraformRun, 'id'> {
  /** Asks Terraform to stop. */
  readonly signal: AbortSignal;
  /** Opens the way to the provider for this run. */
  readonly openRuntime: () => Promise<TerraformRuntime>;
  readonly closeRuntime: (id: string) => Promise<void>;
  /** Told who holds the lock on the state once the run has it, and of nobody when it is over. */
  readonly onLock?: (lock: StateLock | undefined) => void;
}

/** A run that goes on. */
export interface OpenRun {
  readonly record: RunRecord;
  /** For every command of it. */
  readonly options: TerraformRunOptions;
}

export interface TerraformRunsParts extends Omit<RunRecordParts, 'logs'>, RunEnding {
  readonly logs: RunRecordParts['logs'] & { readonly forget: (owner: string) => Promise<void> };
  /** Seconds of runs, by `kind` and `outcome`. */
  readonly durations?: Histogram;
}

/** The one door to Terraform for what uses it on behalf of an owner: a run at a time, recorded, its processes provable. */
export class TerraformRuns {
  private readonly earlier: EarlierRuns;

  constructor(private readonly parts: TerraformRunsParts) {
    this.earlier = new EarlierRuns(parts);
  }

  /** Sees to it that nobody else works for the owner; before anything is read that such a one could change. As `EarlierRuns.settle`. */
  async settle({
    infrastructureUid,
    closeRuntime,
  }: Pick<RunTask, 'infrastructureUid' | 'closeRuntime'>): Promise<void> {
    await this.earlier.settle(infrastructureUid, closeRuntime);
  }

  /**
   * Opens a run and the way to the provider, has the work done, and closes both, whatever comes of it. Throws what the work throws, the
   * reason of the signal once that is aborted, Conflict when a newer pass took over, or Unavailable (`RunNotClosed`) after work that succeeded.
   */
  async within<T>(task: RunTask, work: (run: OpenRun) => Promise<T>): Promise<T> {
    const { infrastructureUid, kind, epoch, generation } = task;
    const run = { id: randomUUID(), infrastructureUid, kind, epoch, generation };
    const attributes = { 'crate.run.kind': kind, 'crate.run.id': run.id, 'crate.run.owner': infrastructureUid };
    return withSpan('terraform run', { attributes }, () => this.recorded(run, task, work));
  }

  private async recorded<T>(run: NewTerraformRun, task: RunTask, work: (run: OpenRun) => Promise<T>): Promise<T> {
    const { kind, signal } = task;
    const record = await RunRecord.open(this.parts, run);
    task.onLock?.(lockOfRun(run, record.lockedSince));
    const startedAt = performance.now();
    const close = async (end: TerraformRunEnd, cause?: unknown): Promise<void> => {
      const seconds = (performance.now() - startedAt) / 1000;
      this.parts.durations?.observe(seconds, { kind, outcome: countedAs(end, cause) });
      await record.close(end, cause);
      task.onLock?.(undefined);
    };
    const result = await withRuntime(task, record, work).catch(async (error: unknown) => {
      const isInterrupted = signal.aborted || terraformFailureOf(error)?.code === 'Interrupted';
      const cause = signal.aborted ? toPlatformError(signal.reason) : error;
      // Why the run failed is what counts, and another pass comes for that in any case.
      await close(isInterrupted ? 'interrupted' : 'failed', cause).catch((failure: unknown) =>
        this.parts.logger.warn('Closing the record of a Terraform run failed', { runId: run.id, error: failure }),
      );
      throw cause;
    });
    await close('succeeded');
    return result;
  }

  /** Forgets runs, logs and working files of an owner on this host. Idempotent; throws while a run may be alive. */
  async forget(
    infrastructureUid: string,
    runner: Pick<TerraformRunner, 'open'>,
    closeRuntime: (id: string) => Promise<void>,
  ): Promise<void> {
    await this.earlier.settle(infrastructureUid, closeRuntime);
    await (await runner.open(infrastructureUid)).remove();
    await this.parts.logs.forget(infrastructureUid);
    await this.parts.runs.removeAll(infrastructureUid);
  }
}

async function withRuntime<T>(task: RunTask, record: RunRecord, work: (run: OpenRun) => Promise<T>): Promise<T> {
  const runtime = await task.openRuntime();
  try {
    if (runtime.id !== undefined) await record.opened(runtime.id);
    return await work({ record, options: optionsOf(task, record, runtime) });
  } finally {
    if (runtime.id !== undefined) await task.closeRuntime(runtime.id);
  }
}

function optionsOf({ signal }: RunTask, record: RunRecord, runtime: TerraformRuntime): TerraformRunOptions {
  return {
    env: runtime.env,
    redact: runtime.secrets,
    signal: AbortSignal.any([signal, record.lost]),
    onStart: (identity) => record.started(identity),
    onLog: (line) => record.log(line),
  };
}
