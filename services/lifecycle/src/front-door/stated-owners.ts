const OWNERS = '/metadata/ownerReferences';

/** Every reference to an owner that a document, a merge patch, an applied configuration or a JSON patch states. */
export function statedOwners(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body.flatMap(ownersOfOperation) : ownersOf(body);
}

function ownersOf(document: unknown): readonly unknown[] {
  const metadata = isJsonObject(document) ? document['metadata'] : undefined;
  return listOf(isJsonObject(metadata) ? metadata['ownerReferences'] : undefined);
}

/** An operation that moves something there from elsewhere is of no use to anybody, so it counts as an owner that is none. */
function ownersOfOperation(operation: unknown): readonly unknown[] {
  const { op, path, value } = isJsonObject(operation) ? operation : {};
  if (typeof path !== 'string' || op === 'remove' || op === 'test') return [];
  if (op === 'move' || op === 'copy') return isWithin(path, OWNERS) || isWithin(OWNERS, path) ? [{}] : [];
  return ownersSetAt(path, value);
}

function ownersSetAt(path: string, value: unknown): readonly unknown[] {
  if (path === '') return ownersOf(value);
  if (path === '/metadata') return ownersOf({ metadata: value });
  if (path === OWNERS) return listOf(value);
  if (!isWithin(path, OWNERS)) return [];
  // A single field of a reference makes another reference of it.
  return [/^\/metadata\/ownerReferences\/[^/]+$/.test(path) ? value : {}];
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** What is no list, or no object, is for validation to refuse. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
import { isJsonObject } from '@crate/api';
