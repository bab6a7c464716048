import { CLOUD_ACCOUNT, DELETION_RECORD } from '@crate/api';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { CloudMgmtConfig } from '../config.js';
import type { SharedParts } from '../shared-parts.js';
import { DeletionRecordReconciler } from './deletion-record.reconciler.js';

/** Puts together what watches over records of deletions. */
export function deletionRecordParts(
  { clients, events }: Foundation,
  { deletion }: CloudMgmtConfig,
  { providers, credentials }: SharedParts,
): RegisteredReconciler {
  const reconciler = new DeletionRecordReconciler({
    records: clients.for(DELETION_RECORD),
    accounts: clients.for(CLOUD_ACCOUNT),
    providers,
    credentials,
    keptMs: deletion.recordsKeptMs,
    watchEveryMs: deletion.watchEveryMs,
    events: events.recorder,
  });
  return { reconciler, kind: DELETION_RECORD };
}
