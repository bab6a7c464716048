import type { InfrastructureSpec } from '@crate/api';
import { failureCause, type FailureCause } from '@crate/reconcile';
import { terraformFailureOf, type TerraformFailure } from '@crate/terraform';
import { failureField } from './failure-field.js';

/** What a person is told about a pass that threw, with the field of the Cluster document that has to change. */
export function passFailure(thrown: unknown, spec: InfrastructureSpec): FailureCause {
  const terraform = terraformFailureOf(thrown);
  if (terraform) return fromTerraform(terraform, spec);
  const cause = failureCause(thrown);
  // The person's document is the Cluster, which names the account.
  return cause.code === 'CredentialsRejected' ? { ...cause, field: 'spec.accountRef.name' } : cause;
}

function fromTerraform(failure: TerraformFailure, spec: InfrastructureSpec): FailureCause {
  const { code, message, address, remedy, retryable } = failure;
  const field = failureField(failure, spec);
  return {
    code,
    message: address === undefined ? message : `${address}: ${message}`,
    remedy,
    retryable,
    ...(field === undefined ? {} : { field }),
  };
}
