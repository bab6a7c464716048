import type { Failure, InfrastructureSpec } from '@crate/api';
import { isPlatformError, toPlatformError } from '@crate/errors';
import { terraformFailureOf, type TerraformFailure } from '@crate/terraform';
import { failureField } from './failure-field.js';

type Cause = Omit<Failure, 'traceId'>;

/** What a person is told about a pass that threw. Our own bugs keep their text for the log. */
export function passFailure(thrown: unknown, spec: InfrastructureSpec): Cause {
  const terraform = terraformFailureOf(thrown);
  if (terraform) return fromTerraform(terraform, spec);
  const error = toPlatformError(thrown);
  const isInternal = error.code === 'Invariant' || !isPlatformError(thrown);
  if (isInternal) {
    return {
      code: 'InternalError',
      message: 'The platform made an error, quote the trace id',
      retryable: error.retry !== 'never',
    };
  }
  const { reason, field, remedy } = error.details;
  return {
    code: reason ?? error.code,
    message: error.message,
    retryable: error.retry !== 'never',
    // The person's document is the Cluster, which names the account.
    ...(reason === 'CredentialsRejected' ? { field: 'spec.accountRef.name' } : field === undefined ? {} : { field }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function fromTerraform(failure: TerraformFailure, spec: InfrastructureSpec): Cause {
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

/** Adds the trace: that of the first time while the failure stays the same, so that repeating it writes nothing. */
export function withTrace(cause: Cause, traceId: string, before: Failure | undefined): Failure {
  const isSame = before?.code === cause.code && before.message === cause.message;
  return { ...cause, traceId: (isSame ? before.traceId : undefined) ?? traceId };
}
