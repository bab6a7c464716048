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
import type { RunEnding } from '../terraform-run/run-ending.js';
import type { RunLog } from '../terraform-run/run-record.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { TerraformRuns, type RunTask, type TerraformRunsParts } from '../terraform-run/terraform-runs.js';

/** One comparison of an Infrastructure with the cloud. */
export interface DriftCheckTask extends Omit<RunTask, 'kind' | 'onLock'> {
  /** Terraform configuration in JSON syntax. */
  readonly document: Readonly<Record<string, unknown>>;
  /** What else the configuration changes is asked for, too. */
  readonly isPlanAsked: boolean;
}

/** What a comparison found. */
export interface DriftFinding {
  /** Empty: nothing differs. */
  readonly resources: readonly DriftedResource[];
  /** What putting it back does, and where asked for, all that is to be done, sensitive values masked; undefined: nothing. */
  readonly plan: Readonly<Record<string, unknown>> | undefined;
  /** Takes secrets of the account out of texts. */
  readonly redact: (text: string) => string;
}

export interface DriftCheckerParts extends RunEnding {
  readonly runner: Pick<TerraformRunner, 'openToLook'>;
  readonly runs: TerraformRunRepository;
  readonly states: Pick<StateKeeper, 'takeUp'>;
  readonly logger: Logger;
  /** Seconds of runs, by `kind` and `outcome`. */
  readonly durations: Histogram;
}

/**
 * Compares what was applied with what is in the cloud, in the workspace of the Infrastructure, and changes neither. It is a run like any
 * other (one at a time, its processes provable) but keeps no record and no log: what it finds is all there is to tell.
 */
export class DriftChecker {
  private readonly runs: TerraformRuns;

  constructor(private readonly parts: DriftCheckerParts) {
    this.runs = new TerraformRuns({ ...parts, logs: unkeptLogs(parts.logger) });
  }

  /** Throws TerraformError, what the provider throws, or Conflict when a newer pass took over. */
  async check(task: DriftCheckTask): Promise<DriftFinding> {
    const { infrastructureUid, document } = task;
    await this.runs.settle(task);
    const workspace = await this.parts.runner.openToLook(infrastructureUid);
    await this.parts.states.takeUp(infrastructureUid, workspace, task.epoch);
    return this.runs.within({ ...task, kind: 'check' }, async ({ options }) => {
      try {
        await workspace.prepare(document, options);
        const redactor = createRedactor(options.redact);
        return { ...(await compare(workspace, options, task.isPlanAsked)), redact: (text) => redactor.redact(text) };
      } finally {
        await workspace.discardPlan();
      }
    });
  }
}

const NOTHING = { resources: [], plan: undefined };

/** What a plan would leave alone does not count, so there has to be a plan; but only when anything differs at all. */
async function compare(
  workspace: TerraformWorkspace,
  options: TerraformRunOptions,
  isPlanAsked: boolean,
): Promise<Omit<DriftFinding, 'redact'>> {
  const refreshed = await workspace.plan({ ...options, refreshOnly: true });
  if (!refreshed.hasChanges && !isPlanAsked) return NOTHING;
  const refresh = await workspace.showPlan(options);
  const planned = await workspace.plan(options);
  if (!planned.hasChanges) return NOTHING;
  const plan = await workspace.showPlan(options);
  const resources = foundDrift({ refresh, plan });
  return resources.length === 0 && !isPlanAsked ? NOTHING : { resources, plan: maskPlanDocument(plan) };
}

/** Lines of a comparison are of use only to whoever looks into why it fails. */
function unkeptLogs(logger: Logger): TerraformRunsParts['logs'] {
  const log: RunLog = {
    append: (line) => logger.debug('Comparing with the cloud', { line }),
    flush: () => Promise.resolve(),
  };
  return { open: () => Promise.resolve(log), forget: () => Promise.resolve() };
}
