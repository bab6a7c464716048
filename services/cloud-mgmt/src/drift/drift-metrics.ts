import type { Metrics } from '@crate/telemetry';
import type { DriftRecordRepository } from './drift-record.repository.js';

const SECOND_MS = 1_000;

/** Tells how all Infrastructures stand to the cloud. Every replica tells the same. */
export function observeDrift(metrics: Metrics, records: Pick<DriftRecordRepository, 'summary'>): void {
  metrics.gauge({
    name: 'crate_drift_infrastructures',
    help: 'Infrastructures by how their last comparison with the cloud went: drifted, or failing; exempt: not to be compared now.',
    labels: ['state'],
    collect: async (gauge) => {
      const { drifted, failing, exempt } = await records.summary();
      gauge.set(drifted, { state: 'drifted' });
      gauge.set(failing, { state: 'failing' });
      gauge.set(exempt, { state: 'exempt' });
    },
  });
  metrics.gauge({
    name: 'crate_drift_oldest_check_age_seconds',
    help: 'Time since the Infrastructure that waits longest was compared with the cloud, of those that are to be.',
    collect: async (gauge) => {
      const { oldestCheckAt } = await records.summary();
      gauge.set(oldestCheckAt ? Math.max(0, Date.now() - oldestCheckAt.getTime()) / SECOND_MS : 0);
    },
  });
}
