import { RELEASE_HELD, RUN_HELD } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import { RECOVERING } from '@crate/service-host';
import { DURATION_BUCKETS, type Counter, type Histogram, type Metrics } from '@crate/telemetry';
import type { ChangeSummary } from '@crate/terraform';
import { PLAN_OUTDATED } from '../plan/plan-gate.js';
import type { TerraformRunEnd, TerraformRunKind } from './terraform-run.repository.js';

/** There from the start, so that pictures are not empty before the first run, and the first failure is an increase. */
const USUAL_KINDS = ['apply', 'destroy', 'check'] as const satisfies readonly TerraformRunKind[];
const USUAL_ENDS = ['succeeded', 'failed'] as const satisfies readonly TerraformRunEnd[];
/** Plans that were worked out and not let through: nothing is wrong with Terraform or the provider. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  PLAN_OUTDATED,
  RELEASE_HELD,
  RUN_HELD,
  RECOVERING,
  'ImpactAboveCeiling',
  'PolicyDenied',
]);

/** How long Terraform takes, from its runtime being opened to its state being stored. */
export function runDurations(metrics: Metrics): Histogram {
  const durations = metrics.histogram({
    name: 'crate_terraform_run_seconds',
    help: 'Duration of Terraform runs by what they were for and how they ended.',
    labels: ['kind', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
  for (const kind of USUAL_KINDS) for (const outcome of USUAL_ENDS) durations.start({ kind, outcome });
  return durations;
}

/** What a run counts as: how it ended, or `refused` where its plan was not let through. */
export function countedAs(end: TerraformRunEnd, cause?: unknown): TerraformRunEnd | 'refused' {
  return end === 'failed' && isPlatformError(cause) && REFUSALS.has(cause.details.reason) ? 'refused' : end;
}

/** Counts what applied plans did to cloud resources. */
export function resourceChanges(metrics: Metrics): (changes: ChangeSummary) => void {
  const total = changeCounter(metrics);
  for (const action of ['created', 'changed', 'removed']) total.add(0, { action });
  return ({ add, change, remove, import: imported }) => {
    const actions = { created: add, changed: change, removed: remove, imported };
    for (const [action, count] of Object.entries(actions)) if (count > 0) total.add(count, { action });
  };
}

function changeCounter(metrics: Metrics): Counter {
  return metrics.counter({
    name: 'crate_terraform_resources_changed_total',
    help: 'Cloud resources by what plans that were applied in full did to them: created, changed, removed, imported.',
    labels: ['action'],
  });
}
