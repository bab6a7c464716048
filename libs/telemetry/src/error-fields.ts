import { isPlatformError } from '@crate/errors';

const MAX_CAUSES = 5;

/**
 * An error as log fields. The stack is kept where it helps to find a bug: for what is not a PlatformError and for
 * Invariant; the others are named by their code.
 */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const platform = isPlatformError(error);
  const hasStack = !platform || error.code === 'Invariant';
  const details = platform && Object.keys(error.details).length > 0 ? { details: error.details } : {};
  return {
    ...(platform ? { code: error.code, retry: error.retry, ...details } : { name: error.name, ...systemCode(error) }),
    message: error.message,
    ...(hasStack ? { stack: error.stack } : {}),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: errorFields(error.cause, depth + 1) } : {}),
  };
}

/** Codes of Node and Postgres (`ECONNREFUSED`, `40001`) tell more than their messages do. */
function systemCode(error: Error): { code?: unknown } {
  return 'code' in error ? { code: error.code } : {};
}
