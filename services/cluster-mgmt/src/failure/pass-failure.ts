import type { Failure } from '@crate/api';
import { isPlatformError, toPlatformError } from '@crate/errors';

/**
 * What a person is told about a failed pass. Our own bugs keep their text for the log. The trace stays the one of the
 * first attempt while the failure stays the same, so that repeating it writes nothing.
 */
export function passFailure(thrown: unknown, traceId: string, before?: Failure): Failure {
  const error = toPlatformError(thrown);
  const isInternal = error.code === 'Invariant' || !isPlatformError(thrown);
  const { reason, field, remedy } = error.details;
  const code = isInternal ? 'InternalError' : (reason ?? error.code);
  const message = isInternal ? 'The platform made an error, quote the trace id' : error.message;
  const isSame = before?.code === code && before.message === message;
  return {
    code,
    message,
    retryable: error.retry !== 'never',
    traceId: (isSame ? before.traceId : undefined) ?? traceId,
    ...(field === undefined ? {} : { field }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
