import { AUDIT_EVENT } from '@crate/api';
import type { ServedKind } from '@crate/resource-server';
import { serviceContext, type Foundation } from '@crate/service-host';
import type { HistoryStart } from '../access/history-start.js';
import { AuditEventsApi } from './audit-events.api.js';
import { auditSources } from './audit-sources.js';
import { MergedAudit } from './merged-audit.js';

/** The audit logs of this service and of all that it may call, as one. */
export function mergedAudit({ service, audit, calls, registry }: Foundation): MergedAudit {
  const others = registry.calleesOf(service);
  return new MergedAudit(
    auditSources({ service, own: audit.answers, calls, others, context: serviceContext(service) }),
  );
}

/** The kind by which they are read. */
export function servedAuditEvents(audit: MergedAudit, startOf: HistoryStart): ServedKind {
  return { definition: AUDIT_EVENT, api: new AuditEventsApi(audit, startOf) };
}
