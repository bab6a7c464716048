import type { EventObject, NotificationSeverity } from '@crate/api';

/**
 * Warnings that somebody has to look at now: what was there does not work any more, or what Crate knows can be trusted no more. Reasons
 * of events are those of the conditions and failures that they tell, so this holds for both. docs/notifications.md has the table.
 */
const CRITICAL: ReadonlySet<string> = new Set([
  // A cluster that was ready is not.
  'NotReady',
  'ControlPlaneNotReady',
  'ControlPlaneFailed',
  // Nothing can be looked at or changed in the cluster.
  'KubeconfigRejected',
  // Nothing can be made, changed or removed in the account.
  'AccountBlocked',
  'CredentialsRejected',
  // Memory that was damaged, changed by others, or set back.
  'SecretForeign',
  'SecretRolledBack',
  'SecretTampered',
  'SshKeyLost',
  'StateForeign',
  'StateInvalid',
  'StateRolledBack',
  'StateTampered',
  // Our own fault.
  'Invariant',
  'InternalError',
]);

/** The number that severities are stored and compared by. */
export const SEVERITY_RANK: Readonly<Record<NotificationSeverity, number>> = { Info: 1, Warning: 2, Critical: 3 };

/** How bad what an event tells is. Pure. */
export function severityOf({ type, reason }: Pick<EventObject, 'type' | 'reason'>): NotificationSeverity {
  if (type !== 'Warning') return 'Info';
  return CRITICAL.has(reason ?? '') ? 'Critical' : 'Warning';
}
