import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '@crate/api';
import { errorCode, isPlatformError, toPlatformError } from '@crate/errors';
import type { ClusterScope } from './cluster.scope.js';

/** The failure of the first child that reports one, in the order of the journey. */
export function childFailure(scope: ClusterScope): Failure | undefined {
  const children = [scope.infrastructure, scope.kubernetes, ...(scope.installations ?? [])];
  return children.map((child) => child?.status?.failure).find((failure) => failure !== undefined);
}

/**
 * The failure of the pass itself, for the person who asked. An invariant's text stays in the log. While nothing but the
 * trace differs from `before` it keeps the first trace, so that a repeated failure is no change.
 */
export function passFailure(thrown: unknown, traceId: string, before?: Failure): Failure {
  const { traceId: firstTraceId, ...same } = before ?? {};
  const failure = causeOf(thrown);
  return { ...failure, traceId: (isDeepStrictEqual(same, failure) ? firstTraceId : undefined) ?? traceId };
}

function causeOf(thrown: unknown): Omit<Failure, 'traceId'> {
  const error = toPlatformError(thrown);
  const code = errorCode(thrown);
  const internal = code === 'Invariant' || !isPlatformError(thrown);
  const { reason, field, remedy } = error.details;
  return {
    code: internal ? 'InternalError' : (reason ?? code),
    message: internal ? 'The platform made an error, quote the trace id' : error.message,
    retryable: error.retry !== 'never',
    ...(field === undefined ? {} : { field }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
