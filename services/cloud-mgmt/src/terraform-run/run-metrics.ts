import { DURATION_BUCKETS, type Counter, type Histogram, type Metrics } from '@crate/telemetry';
import type { ChangeSummary } from '@crate/terraform';

/** How long Terraform takes, from its runtime being opened to its state being stored. */
export function runDurations(metrics: Metrics): Histogram {
  return metrics.histogram({
    name: 'crate_terraform_run_seconds',
    help: 'Duration of Terraform runs by what they were for and how they ended.',
    labels: ['kind', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
}

/** Counts what applied plans did to cloud resources. */
export function resourceChanges(metrics: Metrics): (changes: ChangeSummary) => void {
  const total = changeCounter(metrics);
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
