import { randomUUID } from 'node:crypto';
import type { PolicyReviewResponse, StateLock } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { Adoption } from '@crate/infra-aws';
import { createRedactor } from '@crate/process';
import type { RunLogs } from '@crate/run-log';
import type { Histogram, Logger } from '@crate/telemetry';
import {
  maskPlanDocument,
  plannedChanges,
  ProgressTracker,
  terraformFailureOf,
  type ChangeSummary,
  type TerraformProgress,
  type TerraformRunner,
  type TerraformRunOptions,
  type TerraformState,
  type TerraformWorkspace,
} from '@crate/terraform';
import type { TerraformRuntime } from '../provider/cloud-provider.js';
import { lockOfRun } from '../terraform-state/run-holder.js';
import type { RecoveryGate } from '../recovery/recovery-gate.js';
import { EarlierRuns } from './earlier-runs.js';
import { RunRecord } from './run-record.js';
import type { StateKeeper } from './state-keeper.js';
import type {
  TerraformRun,
  TerraformRunEnd,
  TerraformRunKind,
  TerraformRunRepository,
} from './terraform-run.repository.js';

/** Objects that a lost run has made, by the addresses they belong to. */
export interface LostResources {
  readonly adoptions: readonly Adoption[];
  /** A configuration that has all these addresses. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** What one use of Terraform is to do. */
export interface TerraformTask {
  readonly infrastructureUid: string;
  readonly kind: TerraformRunKind;
  /** Of the Infrastructure. */
  readonly generation: number;
  /** Terraform configuration in JSON syntax. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Fencing token of the pass. */
  readonly epoch: bigint;
  /** Asks Terraform to stop. */
  readonly signal: AbortSignal;
  /** Opens the way to the provider for this run. */
  readonly openRuntime: () => Promise<TerraformRuntime>;
  readonly closeRuntime: (id: string) => Promise<void>;
  /** Asked before `findLost`, with the runs so far, newest first. Throws Unavailable while a listing may not show yet what they made. */
  readonly checkListing?: (runs: readonly TerraformRun[]) => Promise<void>;
  /** Asked unless the last run succeeded, and before everything is taken away. */
  readonly findLost: (state: TerraformState | undefined) => Promise<LostResources>;
  /** Look for lost resources also after a run that succeeded: a sweep has found some. */
  readonly mustLook?: boolean;
  /** Judges the plan, with sensitive values masked, before anything is done; notes the verdict, and throws to refuse it. */
  readonly review: (
    plan: Readonly<Record<string, unknown>>,
    note: (verdict: PolicyReviewResponse) => Promise<void>,
  ) => Promise<void>;
  readonly onProgress: (progress: TerraformProgress) => void;
  /** Told who holds the lock on the state once the run has it, and of nobody when it is over. */
  readonly onLock?: (lock: StateLock | undefined) => void;
  /** Told of milestones, for people. */
  readonly onMilestone?: (milestone: TerraformMilestone) => void;
}

/** Something a run came to. */
export type TerraformMilestone =
  | { readonly kind: 'planned' | 'applied'; readonly changes: ChangeSummary }
  | { readonly kind: 'adopted'; readonly count: number };

export interface TerraformExecutorParts {
  readonly runner: TerraformRunner;
  readonly runs: TerraformRunRepository;
  readonly logs: RunLogs;
  readonly states: StateKeeper;
  readonly logger: Logger;
  /** Seconds of runs, by `kind` and `outcome`. */
  readonly durations: Histogram;
  /** How long a process of an earlier pass may finish. */
  readonly graceMs: number;
  /** Holds plans back while the database is older than the world. */
  readonly recovery?: Pick<RecoveryGate, 'checkPlan'>;
}

/** Everything that the steps of one run share. */
interface Run {
  readonly task: TerraformTask;
  readonly workspace: TerraformWorkspace;
  readonly record: RunRecord;
  readonly options: TerraformRunOptions;
}

/** Uses Terraform for an Infrastructure: one run at a time, recorded, and safe to repeat after any crash. */
export class TerraformExecutor {
  private readonly earlier: EarlierRuns;

  constructor(private readonly parts: TerraformExecutorParts) {
    this.earlier = new EarlierRuns(parts);
  }

  /**
   * Plans, has the plan judged, and applies exactly it. Gives the state afterwards; undefined when there is none.
   * Throws TerraformError, what `review` throws, or Conflict when a newer pass took over.
   */
  async execute(task: TerraformTask): Promise<TerraformState | undefined> {
    const { runner, runs, logs, logger, states } = this.parts;
    const { infrastructureUid, kind, epoch, generation } = task;
    await this.earlier.settle(infrastructureUid, task.closeRuntime);
    const before = await runs.list(infrastructureUid);
    const mustLook = mayHaveLost(task, before[0]);
    if (mustLook) await task.checkListing?.(before);
    const workspace = await runner.open(infrastructureUid);
    const state = await states.recover(infrastructureUid, workspace, epoch);
    const run = { id: randomUUID(), infrastructureUid, kind, epoch, generation };
    const record = await RunRecord.open({ runs, logs, logger }, run);
    task.onLock?.(lockOfRun(run));
    const startedAt = performance.now();
    const close = async (outcome: TerraformRunEnd, cause?: unknown): Promise<void> => {
      this.parts.durations.observe((performance.now() - startedAt) / 1000, { kind, outcome });
      await record.close(outcome, cause);
      task.onLock?.(undefined);
    };
    try {
      const lost = mustLook ? await task.findLost(state) : undefined;
      const result = await this.withRuntime(task, workspace, record, lost);
      await close('succeeded');
      return result;
    } catch (error) {
      const isInterrupted = task.signal.aborted || terraformFailureOf(error)?.code === 'Interrupted';
      const cause = task.signal.aborted ? toPlatformError(task.signal.reason) : error;
      await close(isInterrupted ? 'interrupted' : 'failed', cause);
      throw cause;
    }
  }

  /** Forgets everything about the Infrastructure on this host, and its runs. Idempotent. */
  async forget(infrastructureUid: string, closeRuntime: (id: string) => Promise<void>): Promise<void> {
    await this.earlier.settle(infrastructureUid, closeRuntime);
    const workspace = await this.parts.runner.open(infrastructureUid);
    await workspace.remove();
    await this.parts.logs.forget(infrastructureUid);
    await this.parts.runs.removeAll(infrastructureUid);
  }

  private async withRuntime(
    task: TerraformTask,
    workspace: TerraformWorkspace,
    record: RunRecord,
    lost: LostResources | undefined,
  ): Promise<TerraformState | undefined> {
    const runtime = await task.openRuntime();
    try {
      if (runtime.id !== undefined) await record.opened(runtime.id);
      const run: Run = { task, workspace, record, options: optionsOf(task, record, runtime) };
      task.onProgress({ step: 0, steps: 0, message: 'Planning' });
      if (lost && lost.adoptions.length > 0) await this.adopt(run, lost);
      await workspace.prepare(task.document, run.options);
      return await this.planAndApply(run);
    } finally {
      if (runtime.id !== undefined) await task.closeRuntime(runtime.id);
    }
  }

  /** Takes what an earlier run has made back into the state, or it would be made twice. */
  private async adopt({ task, workspace, record, options }: Run, lost: LostResources): Promise<void> {
    await workspace.prepare(lost.document, options);
    let count = 0;
    for (const { to, id, isReplacing } of lost.adoptions) {
      task.onProgress({ step: 0, steps: 0, message: `Adopting ${to}` });
      // Terraform imports nothing to an address that is taken.
      if (isReplacing) await workspace.forget(to, options);
      const isAdopted = await workspace.importObject(to, id, options);
      record.log(
        isAdopted ? `Adopted ${to} (${id}), which a lost run had made` : `${to} (${id}) is not there any more`,
      );
      const state = await workspace.readState();
      if (state) await this.storing(task, record)(state.bytes);
      if (isAdopted) count++;
    }
    if (count > 0) task.onMilestone?.({ kind: 'adopted', count });
  }

  private async planAndApply(run: Run): Promise<TerraformState | undefined> {
    const { task, workspace, record } = run;
    const tracker = new ProgressTracker();
    const options = (idle: string): TerraformRunOptions => ({
      ...run.options,
      onEvent: (event) => {
        if (tracker.observe(event)) task.onProgress(withDefault(tracker.current(), idle));
      },
    });
    const plan = await workspace.plan({ ...options('Planning'), destroy: task.kind === 'destroy' });
    await record.planned(plan.summary);
    if (!plan.hasChanges) {
      await record.showsPlan({ resources: [], omittedChanges: 0 });
      if (!plan.isStateStale) return workspace.readState();
      // Such as a deletion whose answer was lost: nothing is left to do, and only the state does not know.
      return workspace.apply({ ...options('Taking up the state'), storeState: this.storing(task, record) });
    }
    task.onMilestone?.({ kind: 'planned', changes: plan.summary });

    task.onProgress(withDefault(tracker.current(), 'Reviewing the plan'));
    const document = maskPlanDocument(await workspace.showPlan(run.options));
    await record.showsPlan(plannedChanges(document, createRedactor(run.options.redact)));
    await this.parts.recovery?.checkPlan(document);
    await task.review(document, (verdict) => record.reviewed(verdict));
    const state = await workspace.apply({ ...options('Applying'), storeState: this.storing(task, record) });
    task.onMilestone?.({ kind: 'applied', changes: plan.summary });
    return state;
  }

  private storing(task: TerraformTask, record: RunRecord): ReturnType<StateKeeper['storing']> {
    return this.parts.states.storing(task.infrastructureUid, task.epoch, record.id);
  }
}

/** Where no run is known there may have been one all the same: a restored backup does not remember it. */
function mayHaveLost({ kind, mustLook = false }: TerraformTask, last: TerraformRun | undefined): boolean {
  return kind === 'destroy' || mustLook || last?.state !== 'succeeded';
}

function optionsOf(task: TerraformTask, record: RunRecord, runtime: TerraformRuntime): TerraformRunOptions {
  return {
    env: runtime.env,
    redact: runtime.secrets,
    signal: AbortSignal.any([task.signal, record.lost]),
    onStart: (identity) => record.started(identity),
    onLog: (line) => record.log(line),
  };
}

function withDefault(progress: TerraformProgress, message: string): TerraformProgress {
  return progress.message === '' ? { ...progress, message } : progress;
}
