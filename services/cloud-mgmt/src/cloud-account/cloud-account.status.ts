import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  factOf,
  findCondition,
  mergeConditions,
  type CloudAccount,
  type ConditionFact,
} from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { Pass } from '@crate/reconcile';
import { PROVIDER_UNAVAILABLE } from '../provider/provider-unavailable.js';
import { ORPHANED_RESOURCES } from '../sweep/sweep.status.js';

/** What a pass found out. */
export interface CloudAccountFacts {
  /** Undefined when the provider was not asked, as in a deletion. */
  readonly check?: Pass;
  /** Names of the Infrastructures that a deletion waits for. */
  readonly users: readonly string[];
}

/** What a person reads about the account after a pass. Pure. */
export function cloudAccountStatus(
  account: CloudAccount,
  facts: CloudAccountFacts,
  now: Date,
): NonNullable<CloudAccount['status']> {
  const { metadata, status: before } = account;
  const { check } = facts;
  const conditions = [ready(account, facts), synced(check), deleting(account, facts), ...ofSweeps(account)];
  return {
    observedGeneration: check?.ok === false ? (before?.observedGeneration ?? 0) : metadata.generation,
    conditions: mergeConditions(before?.conditions, conditions, { generation: metadata.generation, now }),
    ...acceptedCredentials(account, check),
    ...(before?.sweep === undefined ? {} : { sweep: before.sweep }),
  };
}

/** Those of the spec once the provider took them; until then those it took last. */
function acceptedCredentials(
  { spec, status }: CloudAccount,
  check: Pass | undefined,
): Pick<NonNullable<CloudAccount['status']>, 'credentialsFingerprint'> {
  const accepted = check?.ok ? spec.credentialsFingerprint : status?.credentialsFingerprint;
  return accepted === undefined ? {} : { credentialsFingerprint: accepted };
}

/** What sweeps say stays as they said it. */
function ofSweeps({ status }: CloudAccount): readonly ConditionFact[] {
  const said = findCondition(status?.conditions, ORPHANED_RESOURCES);
  return said ? [factOf(said)] : [];
}

/** True is stated only when the provider took the credentials; nobody knows anything while it does not answer. */
function ready(account: CloudAccount, { check, users }: CloudAccountFacts): ConditionFact {
  if (account.metadata.deletionTimestamp) return conditionFalse('Ready', 'Deleting', blockedBy(users));
  if (!check || check.ok) return conditionTrue('Ready', 'Ready');
  const { details, code, message } = toPlatformError(check.error);
  const isSilent = details.reason === undefined && (code === 'Unavailable' || code === 'Timeout');
  const text = withoutFinalDot(details.remedy === undefined ? message : `${message}. ${details.remedy}`);
  if (isSilent) return conditionUnknown('Ready', 'ConnectionDown', text);
  if (details.reason === PROVIDER_UNAVAILABLE) return conditionUnknown('Ready', PROVIDER_UNAVAILABLE, text);
  return conditionFalse('Ready', details.reason ?? code, text);
}

function synced(check: Pass | undefined): ConditionFact {
  if (!check || check.ok) return conditionTrue('Synced', 'ReconcileSuccess');
  return conditionFalse('Synced', 'ReconcileError', withoutFinalDot(toPlatformError(check.error).message));
}

function deleting(account: CloudAccount, { users }: CloudAccountFacts): ConditionFact {
  if (!account.metadata.deletionTimestamp) return conditionFalse('Deleting', 'NotDeleting', '');
  return conditionTrue('Deleting', 'DeletionRequested', blockedBy(users));
}

function blockedBy(users: readonly string[]): string {
  return users.length === 0
    ? 'Being removed'
    : `Waiting for these Infrastructures to go: ${[...users].sort().join(', ')}`;
}

function withoutFinalDot(text: string): string {
  return conditionMessage(text).replace(/\.$/, '');
}
