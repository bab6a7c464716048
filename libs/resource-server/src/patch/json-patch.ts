import { badRequest, PlatformError } from '@crate/errors';
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { isObject } from '../apply/json.js';

const MAX_OPERATIONS = 10_000;

/**
 * JSON patch (RFC 6902). Throws BadRequest for what is not a patch, and InvalidSpec when it does not fit the document:
 * a failed `test`, or a path that is not there.
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch) || !patch.every(isObject)) throw badRequest('a JSON patch is a list of operations');
  if (patch.length > MAX_OPERATIONS) throw badRequest(`a JSON patch may have at most ${MAX_OPERATIONS} operations`);
  try {
    return fastJsonPatch.applyPatch(document, patch as unknown as Operation[], true, false).newDocument;
  } catch (error) {
    throw notApplicable(error);
  }
}

function notApplicable(error: unknown): PlatformError {
  const { name, index } = error as { readonly name?: string; readonly index?: number };
  const which = index === undefined ? '' : ` at operation ${index}`;
  const why = (name ?? 'unknown').toLowerCase().replaceAll('_', ' ');
  return new PlatformError('InvalidSpec', `the JSON patch could not be applied: ${why}${which}`, { cause: error });
}
