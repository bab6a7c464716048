import { conflict } from '@crate/errors';
import { isDrifted, type DriftRecord } from './drift-record.js';
import { DriftRecordRepository, type DriftSummary } from './drift-record.repository.js';

/** The same contract without a database, for unit tests. */
export class InMemoryDriftRecordRepository extends DriftRecordRepository {
  private readonly records = new Map<string, { readonly epoch: bigint; readonly record: DriftRecord }>();
  /** How often something was stored. */
  saves = 0;

  async find(infrastructureUid: string): Promise<DriftRecord | undefined> {
    return Promise.resolve(this.records.get(infrastructureUid)?.record);
  }

  async save(infrastructureUid: string, epoch: bigint, record: DriftRecord): Promise<void> {
    const stored = this.records.get(infrastructureUid);
    if (stored && stored.epoch > epoch) throw conflict('A newer pass has compared the Infrastructure');
    this.records.set(infrastructureUid, { epoch, record });
    this.saves += 1;
    return Promise.resolve();
  }

  async remove(infrastructureUid: string): Promise<void> {
    this.records.delete(infrastructureUid);
    return Promise.resolve();
  }

  async summary(): Promise<DriftSummary> {
    const records = [...this.records.values()].map(({ record }) => record);
    const due = records.filter(({ isExempt }) => !isExempt);
    const times = due.map(({ checkedAt, notedAt }) => (checkedAt ?? notedAt).getTime());
    return Promise.resolve({
      drifted: records.filter(isDrifted).length,
      failing: due.filter(({ failures }) => failures > 0).length,
      exempt: records.length - due.length,
      oldestCheckAt: times.length === 0 ? undefined : new Date(Math.min(...times)),
    });
  }
}
