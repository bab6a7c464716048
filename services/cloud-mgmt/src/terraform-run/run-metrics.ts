import { DURATION_BUCKETS, type Histogram, type Metrics } from '@crate/telemetry';

/** How long Terraform takes, from its runtime being opened to its state being stored. */
export function runDurations(metrics: Metrics): Histogram {
  return metrics.histogram({
    name: 'crate_terraform_run_seconds',
    help: 'Duration of Terraform runs by what they were for and how they ended.',
    labels: ['kind', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
}
