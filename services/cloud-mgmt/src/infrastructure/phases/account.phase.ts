import { findCondition, isConditionTrue, type CloudAccount } from '@crate/api';
import { invariant } from '@crate/errors';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { InfrastructureScope } from '../infrastructure.scope.js';

const POLL_MS = 10_000;
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
export function accountReadyPhase(scope: InfrastructureScope): Promise<Outcome> {
  const { account } = scope;
  if (!account) throw invariant('The account phase has not run');
  if (scope.isApplied || isConditionTrue(account.status?.conditions, 'Ready')) return Promise.resolve(settled);
  const ready = findCondition(account.status?.conditions, 'Ready');
  // Not asked yet, or no answer: neither is anybody's fault.
  if (ready?.status === 'False') {
    scope.failure = {
      code: ready.reason,
      message: `CloudAccount "${account.metadata.name}" cannot be used: ${ready.message}`,
      field: FIELD,
      remedy: 'Put the CloudAccount right, or name another one',
      retryable: true,
    };
  }
  scope.progress = { step: 0, steps: 0, message: `Waiting for CloudAccount "${account.metadata.name}"` };
  // Woken when the account becomes ready; this is in case the news was lost.
  return Promise.resolve(waiting('WaitingForCloudAccount', POLL_MS));
}
