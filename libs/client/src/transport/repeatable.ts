import { isPlatformError } from '@crate/errors';
import type { ApiRequest } from './api-connection.js';

const REPEATABLE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'PATCH']);
/** No connection was made, so that nothing was asked. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Whether a request whose outcome is not known leads to the same when made twice. Operations of a JSON patch add up unless they are
 * bound to a version, and a second DELETE may meet a new object of that name unless it is bound to a uid.
 */
export function isRepeatable({ method, contentType, body }: ApiRequest): boolean {
  if (method === 'DELETE') return isBoundToUid(body);
  if (method === 'PATCH' && contentType === 'application/json-patch+json') return isBoundToVersion(body);
  return REPEATABLE_METHODS.has(method);
}

/** Whether a request surely did nothing, since the server was never reached. */
export function wasNeverSent(error: unknown): boolean {
  const cause = (isPlatformError(error) ? error.cause : undefined) as { readonly code?: unknown } | undefined;
  return NEVER_SENT.has(String(cause?.code));
}

function isBoundToUid(body: unknown): boolean {
  const { preconditions } = (body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return preconditions?.uid !== undefined;
}

function isBoundToVersion(body: unknown): boolean {
  const operations = Array.isArray(body) ? (body as readonly { readonly op?: unknown; readonly path?: unknown }[]) : [];
  return operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
}
