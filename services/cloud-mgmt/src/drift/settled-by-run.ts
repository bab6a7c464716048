import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';
import { putBack } from './found-drift-status.js';
import type { DriftRecord } from './drift-record.js';

/**
 * A run that came to its end has brought everything to the configuration, so it says as much as a comparison that found nothing. It is
 * told by its id: two hosts need not have the same time. Pure.
 */
export function settledByRun(record: DriftRecord, last: TerraformRun | undefined): DriftRecord {
  if (last?.kind !== 'apply' || last.state !== 'succeeded' || last.id === record.runId) return record;
  const checkedAt = last.endedAt ?? last.startedAt;
  return {
    ...record,
    runId: last.id,
    checkedAt,
    failedAt: undefined,
    failures: 0,
    failure: undefined,
    stance: undefined,
    held: undefined,
    unasked: undefined,
    isExempt: false,
    drift: putBack(record.drift, checkedAt),
  };
}
