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
import { toPlatformError, type PlatformError } from '@crate/errors';
import type { Pass } from '@crate/reconcile';
import { PROVIDER_UNAVAILABLE } from '../provider/provider-unavailable.js';
import { ORPHANED_RESOURCES } from '../sweep/sweep.status.js';

/** What a pass found out. */
export interface CloudAccountFacts {
  /** Undefined when the provider was not asked, as in a deletion. */
  readonly check?: Pass;
  /** Names of the Infrastructures that a deletion waits for. */
  readonly users: readonly string[];
  /** Why a deletion that waits for nobody does not go on either. */
  readonly hold?: PlatformError | undefined;
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
function ready(account: CloudAccount, facts: CloudAccountFacts): ConditionFact {
  if (account.metadata.deletionTimestamp)
    return conditionFalse('Ready', facts.hold?.details.reason ?? 'Deleting', blockedBy(facts));
  const { check } = facts;
  if (!check || check.ok) return conditionTrue('Ready', 'Ready');
  const error = toPlatformError(check.error);
  const { details, code } = error;
  const isSilent = details.reason === undefined && (code === 'Unavailable' || code === 'Timeout');
  const text = withRemedy(error);
  if (isSilent) return conditionUnknown('Ready', 'ConnectionDown', text);
  if (details.reason === PROVIDER_UNAVAILABLE) return conditionUnknown('Ready', PROVIDER_UNAVAILABLE, text);
  return conditionFalse('Ready', details.reason ?? code, text);
}

function synced(check: Pass | undefined): ConditionFact {
  if (!check || check.ok) return conditionTrue('Synced', 'ReconcileSuccess');
  return conditionFalse('Synced', 'ReconcileError', withoutFinalDot(toPlatformError(check.error).message));
}

function deleting(account: CloudAccount, facts: CloudAccountFacts): ConditionFact {
  if (!account.metadata.deletionTimestamp) return conditionFalse('Deleting', 'NotDeleting', '');
  return conditionTrue('Deleting', facts.hold?.details.reason ?? 'DeletionRequested', blockedBy(facts));
}

function blockedBy({ users, hold }: CloudAccountFacts): string {
  if (hold) return withRemedy(hold);
  return users.length === 0
    ? 'Being removed'
    : `Waiting for these Infrastructures to go: ${[...users].sort().join(', ')}`;
}

function withRemedy({ message, details: { remedy } }: PlatformError): string {
  return withoutFinalDot(remedy === undefined ? message : `${message}. ${remedy}`);
}

function withoutFinalDot(text: string): string {
  return conditionMessage(text).replace(/\.$/, '');
}
