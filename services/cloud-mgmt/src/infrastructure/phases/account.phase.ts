import { findCondition, isConditionTrue, type CloudAccount } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type FailureCause, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { PROVIDER_UNAVAILABLE, PROVIDER_UNAVAILABLE_REMEDY } from '../../provider/provider-unavailable.js';
import type { InfrastructureScope } from '../infrastructure.scope.js';

const POLL_MS = 10_000;
/** The account is asked several times meanwhile. */
const SILENT_MS = 2 * 60_000;
const FIELD = 'spec.accountRef.name';

/** Finds the account; waits for it to exist. */
export class AccountPhase {
  constructor(private readonly accounts: TypedClient<CloudAccount>) {}

  readonly run = async (scope: InfrastructureScope): Promise<Outcome> => {
    const { metadata, spec } = scope.infrastructure;
    const account = await this.accounts.find(spec.accountRef.name, metadata.namespace);
    if (account) {
      scope.account = account;
      return settled;
    }
    scope.failure = {
      code: 'CloudAccountNotFound',
      message: `CloudAccount "${spec.accountRef.name}" does not exist`,
      field: FIELD,
      remedy: 'Create the CloudAccount in the same Project',
      retryable: true,
    };
    return waiting('CloudAccountNotFound', POLL_MS);
  };
}

/** Waits until the account can be used, unless there is nothing to do with it. */
export const accountReadyPhase =
  (now: () => Date = () => new Date()) =>
  (scope: InfrastructureScope): Promise<Outcome> => {
    const { account } = scope;
    if (!account) throw invariant('The account phase has not run');
    if (scope.isApplied || isConditionTrue(account.status?.conditions, 'Ready')) return Promise.resolve(settled);
    const failure = accountFailure(account, now());
    if (failure) scope.failure = failure;
    scope.progress = { step: 0, steps: 0, message: `Waiting for CloudAccount "${account.metadata.name}"` };
    // Woken when the account becomes ready; this is in case the news was lost.
    return Promise.resolve(waiting('WaitingForCloudAccount', POLL_MS));
  };

/** Not asked yet, or no answer for a moment: neither is anybody's fault. */
function accountFailure({ metadata, status }: CloudAccount, now: Date): FailureCause | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (!ready || ready.status === 'True') return undefined;
  const { reason, message, lastTransitionTime } = ready;
  if (ready.status === 'False') {
    return {
      code: reason,
      message: `CloudAccount "${metadata.name}" cannot be used: ${message}`,
      field: FIELD,
      remedy: 'Put the CloudAccount right; another account takes a new cluster',
      retryable: true,
    };
  }
  if (now.getTime() - Date.parse(lastTransitionTime) < SILENT_MS) return undefined;
  const isReached = reason === PROVIDER_UNAVAILABLE;
  return {
    code: isReached ? PROVIDER_UNAVAILABLE : 'CloudUnreachable',
    message: `CloudAccount "${metadata.name}" cannot be checked: ${message}`,
    field: FIELD,
    remedy: isReached
      ? PROVIDER_UNAVAILABLE_REMEDY
      : 'Let cloud-mgmt reach the provider; nothing is done in the account until it answers',
    retryable: true,
  };
}
