import { isJsonObject } from '@crate/api';
import { badRequest, PlatformError } from '@crate/errors';
import fastJsonPatch, { type GetOperation, type Operation } from 'fast-json-patch';
import { checkDocument } from '../http/document-check.js';
import { BODY_LIMIT_BYTES } from '../http/request-body.js';

const MAX_OPERATIONS = 10_000;

/**
 * JSON patch (RFC 6902). Throws BadRequest for what is not a patch, carries more in copies and moves than a body may hold, or makes a
 * document that is harmful to handle; and InvalidSpec when it does not fit the document: a failed `test`, or a path that is not there.
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch) || !patch.every(isJsonObject)) throw badRequest('a JSON patch is a list of operations');
  if (patch.length > MAX_OPERATIONS) throw badRequest(`a JSON patch may have at most ${MAX_OPERATIONS} operations`);
  const carried = { characters: 0 };
  let patched: unknown = fastJsonPatch.deepClone(document) as unknown;
  // What it adds becomes part of the document, which a write that is tried again must not find changed.
  const operations = fastJsonPatch.deepClone(patch) as readonly Operation[];
  for (const [index, operation] of operations.entries()) {
    for (const step of stepsOf(patched, operation, index, carried)) patched = applied(patched, step, index);
  }
  checkDocument(patched);
  return patched;
}

/**
 * A copy or a move as what it consists of: the library would clone the document for each, and they can double it each time, so that a
 * patch of a few bytes could fill the memory. Kubernetes limits what copies carry too.
 */
function stepsOf(
  document: unknown,
  operation: Operation,
  index: number,
  carried: { characters: number },
): readonly Operation[] {
  if (operation.op !== 'copy' && operation.op !== 'move') return [operation];
  const { op, from, path } = operation;
  if (typeof from !== 'string') return [operation]; // Refused by the library.
  const value = valueAt(document, from, index);
  if (op === 'move' && from === path) return [];
  const text = JSON.stringify(value);
  carried.characters += text.length;
  // No 413, as of a body: owners that are asked over NATS have no such code.
  if (carried.characters > BODY_LIMIT_BYTES)
    throw badRequest(`a JSON patch may copy and move at most ${BODY_LIMIT_BYTES} bytes`);
  const add: Operation = { op: 'add', path, value: JSON.parse(text) as unknown };
  return op === 'copy' ? [add] : [{ op: 'remove', path: from }, add];
}

function valueAt(document: unknown, path: string, index: number): unknown {
  const get: GetOperation<unknown> = { op: '_get', path, value: undefined };
  applied(document, get, index);
  return get.value;
}

function applied(document: unknown, operation: Operation, index: number): unknown {
  try {
    return fastJsonPatch.applyOperation(document, operation, true, true, true, index).newDocument;
  } catch (error) {
    throw notApplicable(error, index);
  }
}

function notApplicable(error: unknown, index: number): PlatformError {
  const { name } = error as { readonly name?: string };
  const why = (name ?? 'unknown').toLowerCase().replaceAll('_', ' ');
  return new PlatformError('InvalidSpec', `the JSON patch could not be applied: ${why} at operation ${index}`, {
    cause: error,
  });
}
