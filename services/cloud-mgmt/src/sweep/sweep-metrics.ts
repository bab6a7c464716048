import { SWEEP_DECISIONS, type CloudAccount } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { Counter, Metrics } from '@crate/telemetry';

/** Tells how many resources belong to nobody, in all accounts, as their statuses say: every replica tells the same. */
export function observeOrphans(metrics: Metrics, accounts: Pick<TypedClient<CloudAccount>, 'list'>): void {
  metrics.gauge({
    name: 'crate_orphaned_resources',
    help: 'Cloud resources with tags of Crate that belong to nobody, by what is decided about them.',
    labels: ['decision'],
    collect: async (gauge) => {
      const findings = (await accounts.list()).flatMap(({ status }) => status?.sweep?.findings ?? []);
      for (const decision of SWEEP_DECISIONS) {
        gauge.set(findings.filter((finding) => finding.decision === decision).length, { decision });
      }
    },
  });
}

/** Counts what sweeps removed. */
export function removals(metrics: Metrics): Counter {
  return metrics.counter({
    name: 'crate_orphans_removed_total',
    help: 'Abandoned cloud resources that sweeps have removed.',
  });
}

/** Counts sweeps by how they ended, from zero on: the first of them is an increase, too. */
export function sweeps(metrics: Metrics): Counter {
  const total = metrics.counter({
    name: 'crate_sweeps_total',
    help: 'Sweeps of accounts, by outcome: looked, or failed to look.',
    labels: ['outcome'],
  });
  for (const outcome of ['looked', 'failed']) total.add(0, { outcome });
  return total;
}
