import type { Metrics } from '@crate/telemetry';
import type { PolicyCatalogue } from './policy.catalogue.js';

/** Tells which rules cannot be judged by, and therefore stand in the way. Every replica tells the same. */
export function observePolicies(metrics: Metrics, catalogue: Pick<PolicyCatalogue, 'broken'>): void {
  const told = new Map<string, { readonly policy: string; readonly reason: string }>();
  metrics.gauge({
    name: 'crate_policy_rules_broken',
    help: 'Rules that object to everything they may be about (1) because they cannot be read (unreadable) or do not compile (mistaken); 0 once mended.',
    labels: ['policy', 'reason'],
    collect: (gauge) => {
      for (const labels of told.values()) gauge.set(0, labels);
      for (const { policy, unreadable } of catalogue.broken()) {
        const labels = { policy: policy.metadata.name, reason: unreadable ? 'unreadable' : 'mistaken' };
        told.set(`${labels.policy}/${labels.reason}`, labels);
        gauge.set(1, labels);
      }
    },
  });
}
