import type { PolicyReviewResponse } from '@crate/api';
import { conflict } from '@crate/errors';
import { createRedactor } from '@crate/process';
import type { RunLogs } from '@crate/run-log';
import type { Histogram, Logger } from '@crate/telemetry';
import {
  maskPlanDocument,
  plannedChanges,
  ProgressTracker,
  type ChangeSummary,
  type TerraformProgress,
  type TerraformRunner,
  type TerraformRunOptions,
  type TerraformState,
  type TerraformWorkspace,
} from '@crate/terraform';
import type { DatedObject } from '@crate/service-host';
import { stopsMachines } from '../plan/plan-impact.js';
import type { RecoveryGate } from '../recovery/recovery-gate.js';
import type { RunsSoFar } from './listing-lag.js';
import { adoptLost, mayHaveLost, type LostResources } from './lost-adoption.js';
import type { RunEnding } from './run-ending.js';
import type { RunRecord } from './run-record.js';
import type { StateKeeper } from './state-keeper.js';
import type { TerraformRunRepository } from './terraform-run.repository.js';
import { TerraformRuns, type OpenRun, type RunTask } from './terraform-runs.js';

/** As `terraform show -json` gives it, with sensitive values masked. */
type PlanDocument = Readonly<Record<string, unknown>>;

/** What one use of Terraform is to do. */
export interface TerraformTask extends RunTask {
  /** Terraform configuration in JSON syntax. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Asked before `findLost`, with the runs so far. Throws Unavailable while a listing may not show yet what they made. */
  readonly checkListing?: (past: RunsSoFar) => Promise<void>;
  /** Asked unless the last run succeeded, and before everything is taken away. */
  readonly findLost: (state: TerraformState | undefined) => Promise<LostResources>;
  /** Whose resources they are. */
  readonly owner: DatedObject;
  /** Look for lost resources also after a run that succeeded: a sweep has found some. */
  readonly mustLook?: boolean;
  /** Judges the plan before anything is done; notes the verdict, and throws to refuse it. */
  readonly review: (plan: PlanDocument, note: (verdict: PolicyReviewResponse) => void) => Promise<void>;
  readonly onProgress: (progress: TerraformProgress) => void;
  /** Told of milestones, for people. */
  readonly onMilestone?: (milestone: TerraformMilestone) => void;
}

/** Something a run came to. */
export type TerraformMilestone =
  | { readonly kind: 'planned' | 'applied'; readonly changes: ChangeSummary }
  | { readonly kind: 'adopted'; readonly count: number };

export interface TerraformExecutorParts extends RunEnding {
  readonly runner: TerraformRunner;
  readonly runs: TerraformRunRepository;
  readonly logs: RunLogs;
  readonly states: StateKeeper;
  readonly logger: Logger;
  /** Seconds of runs, by `kind` and `outcome`. */
  readonly durations: Histogram;
  /** Told of each plan that was applied in full, for metrics. */
  readonly onApplied?: (changes: ChangeSummary) => void;
  /** Holds plans back while the database is older than the world. */
  readonly recovery?: Pick<RecoveryGate, 'checkPlan'>;
}

/** Everything that the steps of one run share. */
interface Run extends OpenRun {
  readonly task: TerraformTask;
  readonly workspace: TerraformWorkspace;
}

/** Uses Terraform for an Infrastructure: one run at a time, recorded, and safe to repeat after any crash. */
export class TerraformExecutor {
  private readonly runs: TerraformRuns;

  constructor(private readonly parts: TerraformExecutorParts) {
    this.runs = new TerraformRuns(parts);
  }

  /**
   * Plans, has the plan judged, and applies exactly it. Gives the state afterwards; undefined when there is none.
   * Throws TerraformError, what `review` throws, or Conflict when a newer pass took over or a person
   * put another state in place at the same time: all of it is to be done again.
   */
  async execute(task: TerraformTask): Promise<TerraformState | undefined> {
    const { runner, runs, states } = this.parts;
    const { infrastructureUid, epoch } = task;
    await this.runs.settle(task);
    const workspace = await runner.open(infrastructureUid);
    const { state, serial } = await states.recover(infrastructureUid, workspace, epoch);
    // After the state was read: a person who puts another one in place is first on this list.
    const before = await runs.list(infrastructureUid);
    const mustLook = mayHaveLost(task, before[0]);
    if (mustLook) await task.checkListing?.({ runs: before, now: await runs.now() });
    return this.runs.within(task, async (open) => {
      await this.checkUntouched(infrastructureUid, serial);
      const run = { ...open, task, workspace };
      const lost = mustLook ? await task.findLost(state) : undefined;
      task.onProgress({ step: 0, steps: 0, message: 'Planning' });
      if (lost) await this.adopt(run, lost);
      await workspace.prepare(task.document, run.options);
      return this.planAndApply(run);
    });
  }

  /** Sees to it that nobody else works on the Infrastructure. Throws Unavailable (`EarlierRunAlive`) while one may still live. Idempotent. */
  async settle(infrastructureUid: string, closeRuntime: (id: string) => Promise<void>): Promise<void> {
    await this.runs.settle({ infrastructureUid, closeRuntime });
  }

  /** Forgets everything about the Infrastructure on this host, and its runs. Idempotent. */
  async forget(infrastructureUid: string, closeRuntime: (id: string) => Promise<void>): Promise<void> {
    await this.runs.forget(infrastructureUid, this.parts.runner, closeRuntime);
  }

  /** Until the lock was the run's, a person could still put another state in place. */
  private async checkUntouched(infrastructureUid: string, known: number | undefined): Promise<void> {
    if ((await this.parts.states.findSerial(infrastructureUid)) === known) return;
    throw conflict('Another Terraform state was put in place while the run began');
  }

  private async adopt({ task, workspace, record, options }: Run, lost: LostResources): Promise<void> {
    const adopted = await adoptLost(workspace, lost, options, {
      onBegin: ({ to }) => task.onProgress({ step: 0, steps: 0, message: `Adopting ${to}` }),
      onEnd: async ({ to, id }, isAdopted) => {
        record.log(
          isAdopted ? `Adopted ${to} (${id}), which a lost run had made` : `${to} (${id}) is not there any more`,
        );
        const state = await workspace.readState();
        if (state) await this.storing(task, record)(state.bytes);
      },
    });
    if (adopted.length > 0) task.onMilestone?.({ kind: 'adopted', count: adopted.length });
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
    if (!plan.hasChanges) {
      await record.planned({ summary: plan.summary, changes: { resources: [], omittedChanges: 0 }, hasBegun: false });
      if (!plan.isStateStale) return workspace.readState();
      // Such as a deletion whose answer was lost: nothing is left to do, and only the state does not know.
      return workspace.apply({ ...options('Taking up the state'), storeState: this.storing(task, record) });
    }
    task.onMilestone?.({ kind: 'planned', changes: plan.summary });

    task.onProgress(withDefault(tracker.current(), 'Reviewing the plan'));
    const document = maskPlanDocument(await workspace.showPlan(run.options));
    await this.begin(run, document, plan.summary);
    const state = await workspace.apply({
      ...options('Applying'),
      storeState: this.storing(task, record),
      // So that a control plane of several machines lacks one at a time.
      oneAtATime: stopsMachines(plannedChanges(document, { maxCharacters: Infinity }).resources),
    });
    task.onMilestone?.({ kind: 'applied', changes: plan.summary });
    this.parts.onApplied?.(plan.summary);
    return state;
  }

  /** Has the plan judged, and stores it with what was said of it before anything is done; also one that is refused, for people. */
  private async begin({ task, record, options }: Run, document: PlanDocument, summary: ChangeSummary): Promise<void> {
    const plan = { summary, changes: plannedChanges(document, createRedactor(options.redact)) };
    let review: PolicyReviewResponse | undefined;
    try {
      await this.parts.recovery?.checkPlan(document, task.owner);
      await task.review(document, (verdict) => {
        review = verdict;
        record.reviewed(verdict);
      });
    } catch (error) {
      // Why it was refused counts more than that nobody is shown the plan.
      await record.planned({ ...plan, review, hasBegun: false }).catch((failure: unknown) => {
        this.parts.logger.warn('Storing a plan that was refused failed', { runId: record.id, error: failure });
      });
      throw error;
    }
    await record.planned({ ...plan, review, hasBegun: true });
  }

  private storing(task: TerraformTask, record: RunRecord): ReturnType<StateKeeper['storing']> {
    return this.parts.states.storing(task.infrastructureUid, task.epoch, record.id);
  }
}

function withDefault(progress: TerraformProgress, message: string): TerraformProgress {
  return progress.message === '' ? { ...progress, message } : progress;
}
