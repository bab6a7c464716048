import type { Counter, Histogram, Metrics } from '@crate/telemetry';
import type { DocumentRepository } from '../memory/document.repository.js';
import type { AssessmentRepository } from './assessment.repository.js';

export interface ReportMetrics {
  readonly judging: Histogram;
  readonly dropped: Counter;
}

/** Tells how all that is there stands. Every replica tells the same of what is stored. */
export function observeReports(
  metrics: Metrics,
  assessments: Pick<AssessmentRepository, 'violations'>,
  documents: Pick<DocumentRepository, 'counts'>,
): ReportMetrics {
  const kinds = new Set<string>();
  metrics.gauge({
    name: 'crate_policy_violations',
    help: 'Violations of rules in what is there, by level of the rule and by what they lead to.',
    labels: ['level', 'effect'],
    collect: async (gauge) => {
      const found = await assessments.violations();
      for (const kind of Object.keys(found)) kinds.add(kind);
      for (const kind of kinds) {
        const [level = '', effect = ''] = kind.split('/');
        gauge.set(found[kind] ?? 0, { level, effect });
      }
    },
  });
  metrics.gauge({
    name: 'crate_policy_remembered_documents',
    help: 'Documents that are judged again when rules change, by stage.',
    labels: ['stage'],
    collect: async (gauge) => {
      for (const { stage, documents: count } of await documents.counts()) gauge.set(count, { stage });
    },
  });
  return {
    judging: metrics.histogram({
      name: 'crate_policy_reevaluation_seconds',
      help: 'Time to judge again all that is remembered of one cluster, rests for reviews included.',
    }),
    dropped: metrics.counter({
      name: 'crate_policy_documents_dropped_total',
      help: 'Documents that could not be remembered until they are asked about again.',
    }),
  };
}
