import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '@crate/api';
import { isPlatformError, toPlatformError } from '@crate/errors';

/** A failure apart from the attempt it was met in. */
export type FailureCause = Omit<Failure, 'traceId'>;

/** What `failureOf` knows besides the error. */
export interface FailureContext {
  /** Of the pass that failed. */
  readonly traceId: string;
  /** What the status says of the last failure. */
  readonly before?: Failure | undefined;
}

/** What a person is told about a pass that threw: `withTrace` of its `failureCause`. */
export function failureOf(thrown: unknown, context: FailureContext): Failure {
  return withTrace(failureCause(thrown), context);
}

/** The cause in the words of the error. An error that is our own bug keeps its text for the log; a host that refuses is none. */
export function failureCause(thrown: unknown): FailureCause {
  const error = toPlatformError(thrown);
  const { reason, field, remedy } = error.details;
  const isInternal = error.code === 'Invariant' || (!isPlatformError(thrown) && reason === undefined);
  return {
    code: isInternal ? 'InternalError' : (reason ?? error.code),
    message: isInternal ? 'The platform made an error, quote the trace id' : error.message,
    retryable: error.retry !== 'never',
    ...(field === undefined ? {} : { field }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** Adds the trace: that of the first attempt while the cause stays the same, so that a repeated failure is no change. */
export function withTrace(cause: FailureCause, { traceId, before }: FailureContext): Failure {
  const { traceId: firstTraceId, ...same } = before ?? {};
  return { ...cause, traceId: (isDeepStrictEqual(same, cause) ? firstTraceId : undefined) ?? traceId };
}
