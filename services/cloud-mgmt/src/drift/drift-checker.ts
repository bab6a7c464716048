import { randomUUID } from 'node:crypto';
import { createRedactor } from '@crate/process';
import type { Logger, Histogram } from '@crate/telemetry';
import {
  foundDrift,
  maskPlanDocument,
  type DriftedResource,
  type TerraformRunner,
  type TerraformRunOptions,
  type TerraformWorkspace,
} from '@crate/terraform';
import type { TerraformRuntime } from '../provider/cloud-provider.js';
import { EarlierRuns } from '../terraform-run/earlier-runs.js';
import { RunRecord, type RunLog } from '../terraform-run/run-record.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import type { TerraformRunEnd, TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';

/** One comparison of an Infrastructure with the cloud. */
export interface DriftCheckTask {
  readonly infrastructureUid: string;
  readonly generation: number;
  /** Terraform configuration in JSON syntax. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly epoch: bigint;
  readonly signal: AbortSignal;
  readonly openRuntime: () => Promise<TerraformRuntime>;
  readonly closeRuntime: (id: string) => Promise<void>;
}

/** What a comparison found. */
export interface DriftFinding {
  /** Empty: nothing differs. */
  readonly resources: readonly DriftedResource[];
  /** What putting it back does, sensitive values masked; undefined when nothing differs. */
  readonly plan: Readonly<Record<string, unknown>> | undefined;
  /** Takes secrets of the account out of texts. */
  readonly redact: (text: string) => string;
}

export interface DriftCheckerParts {
  readonly runner: Pick<TerraformRunner, 'openToLook'>;
  readonly runs: TerraformRunRepository;
  readonly states: Pick<StateKeeper, 'find'>;
  readonly logger: Logger;
  /** Seconds of runs, by `kind` and `outcome`. */
  readonly durations: Histogram;
  /** How long a process of an earlier pass may finish. */
  readonly graceMs: number;
}

/**
 * Compares what was applied with what is in the cloud, in the workspace of the Infrastructure, and changes neither. It is a run like any
 * other (one at a time, its processes provable) but keeps no record and no log: what it finds is all there is to tell.
 */
export class DriftChecker {
  private readonly earlier: EarlierRuns;

  constructor(private readonly parts: DriftCheckerParts) {
    this.earlier = new EarlierRuns(parts);
  }

  /** Throws TerraformError, what the provider throws, or Conflict when a newer pass took over. */
  async check(task: DriftCheckTask): Promise<DriftFinding> {
    const { infrastructureUid, epoch, generation } = task;
    await this.earlier.settle(infrastructureUid, task.closeRuntime);
    const workspace = await this.parts.runner.openToLook(infrastructureUid);
    const state = await this.parts.states.find(infrastructureUid);
    await workspace.recover(state?.bytes);
    const { runs, logger } = this.parts;
    const run = { id: randomUUID(), infrastructureUid, kind: 'check', epoch, generation } as const;
    const record = await RunRecord.open(
      { runs, logger, logs: { open: () => Promise.resolve(unkeptLog(logger)) } },
      run,
    );
    const startedAt = performance.now();
    let outcome: TerraformRunEnd = 'failed';
    try {
      const finding = await this.withRuntime(task, workspace, record);
      outcome = 'succeeded';
      return finding;
    } finally {
      if (task.signal.aborted) outcome = 'interrupted';
      this.parts.durations.observe((performance.now() - startedAt) / 1000, { kind: run.kind, outcome });
      await record.close(outcome);
    }
  }

  private async withRuntime(
    task: DriftCheckTask,
    workspace: TerraformWorkspace,
    record: RunRecord,
  ): Promise<DriftFinding> {
    const runtime = await task.openRuntime();
    try {
      if (runtime.id !== undefined) await record.opened(runtime.id);
      const options: TerraformRunOptions = {
        env: runtime.env,
        redact: runtime.secrets,
        signal: AbortSignal.any([task.signal, record.lost]),
        onStart: (identity) => record.started(identity),
        onLog: (line) => record.log(line),
      };
      await workspace.prepare(task.document, options);
      const redactor = createRedactor(runtime.secrets);
      return { ...(await compare(workspace, options)), redact: (text) => redactor.redact(text) };
    } finally {
      await workspace.discardPlan();
      if (runtime.id !== undefined) await task.closeRuntime(runtime.id);
    }
  }
}

const NOTHING = { resources: [], plan: undefined };

/** What a plan would leave alone does not count, so there has to be a plan; but only when anything differs at all. */
async function compare(
  workspace: TerraformWorkspace,
  options: TerraformRunOptions,
): Promise<Omit<DriftFinding, 'redact'>> {
  const refreshed = await workspace.plan({ ...options, refreshOnly: true });
  if (!refreshed.hasChanges) return NOTHING;
  const refresh = await workspace.showPlan(options);
  const planned = await workspace.plan(options);
  if (!planned.hasChanges) return NOTHING;
  const plan = await workspace.showPlan(options);
  const resources = foundDrift({ refresh, plan });
  return resources.length === 0 ? NOTHING : { resources, plan: maskPlanDocument(plan) };
}

/** Lines of a comparison are of use only to whoever looks into why it fails. */
function unkeptLog(logger: Logger): RunLog {
  return { append: (line) => logger.debug('Comparing with the cloud', { line }), flush: () => Promise.resolve() };
}
