import { findCondition, isConditionTrue, type PolicyWaiver } from '@crate/api';
import type { EventDraft } from '@crate/reconcile';

/** What is told of a pass; undefined: nothing. */
type Telling = (before: PolicyWaiver, after: PolicyWaiver) => EventDraft | undefined;

const approved: Telling = (before, after) => {
  if (!became('Approved', before, after)) return undefined;
  const message = `By ${after.status?.approvedBy ?? 'nobody'}; in force until ${after.spec.expiresAt}`;
  return { type: 'Normal', reason: 'Approved', message };
};

const revoked: Telling = (before, { status }) =>
  status?.revoked && !before.status?.revoked
    ? { type: 'Normal', reason: 'Revoked', message: `By ${status.revoked.by}` }
    : undefined;

const endsSoon: Telling = (before, { spec, status }) => {
  const { notice } = status ?? {};
  if (notice === undefined || notice === before.status?.notice) return undefined;
  const message = `Within ${notice}, on ${spec.expiresAt}; from then on what it covers counts as violated`;
  return { type: 'Warning', reason: 'ExpiresSoon', message };
};

/** Nobody has to be warned of the end of what was never in force. */
const ended: Telling = (before, after) => {
  if (!became('Expired', before, after)) return undefined;
  const { conditions } = after.status ?? {};
  const type = isConditionTrue(conditions, 'Approved') ? 'Warning' : 'Normal';
  return { type, reason: 'Expired', message: findCondition(conditions, 'Ready')?.message ?? '' };
};

/** What people are told of a pass over a waiver. */
export function waiverEvents(before: PolicyWaiver, after: PolicyWaiver): readonly EventDraft[] {
  return [approved, revoked, endsSoon, ended].flatMap((telling) => telling(before, after) ?? []);
}

function became(condition: string, before: PolicyWaiver, after: PolicyWaiver): boolean {
  return isConditionTrue(after.status?.conditions, condition) && !isConditionTrue(before.status?.conditions, condition);
}
