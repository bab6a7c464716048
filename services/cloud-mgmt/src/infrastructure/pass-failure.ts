import type { InfrastructureSpec } from '@crate/api';
import { failureCause, type FailureCause } from '@crate/reconcile';
import { terraformFailureOf, type TerraformFailure } from '@crate/terraform';
import { failureField } from './failure-field.js';

/** Failures that the provider's API answers us with, as it answers Terraform. */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  'CredentialsRejected',
  'AccountBlocked',
  'AccountPending',
  'NotSubscribed',
]);

/** What a person is told about a pass that threw, with the field of the Cluster document that has to change. */
export function passFailure(thrown: unknown, spec: InfrastructureSpec): FailureCause {
  const terraform = terraformFailureOf(thrown);
  if (terraform) return fromTerraform(terraform, spec);
  const cause = failureCause(thrown);
  // The person's document is the Cluster, which names the account.
  return OF_ACCOUNT.has(cause.code) ? { ...cause, field: 'spec.accountRef.name' } : cause;
}

function fromTerraform(failure: TerraformFailure, spec: InfrastructureSpec): FailureCause {
  const { code, message, address, retryable } = failure;
  const field = failureField(failure, spec);
  return {
    code,
    message: address === undefined ? message : `${address}: ${message}`,
    remedy: remedyOf(failure, spec),
    retryable,
    ...(field === undefined ? {} : { field }),
  };
}

/** What a region says to keys of an account that it is not enabled in. */
const NOT_KNOWN_THERE = /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException)$/;

/** The account was found to be good before Terraform ran, elsewhere. */
function remedyOf({ remedy, providerCode = '' }: TerraformFailure, { region }: InfrastructureSpec): string {
  if (!NOT_KNOWN_THERE.test(providerCode)) return remedy;
  return `${remedy}; where the CloudAccount is Ready, enable the region ${region} in the account`;
}
