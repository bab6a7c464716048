import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { keyOf } from './object/object-key.js';
import { parseRevision, type Revision } from './revision.js';

/** Where a list was left: all pages show the state at `revision`, this one begins behind the key. */
export interface ContinueToken {
  /** Undefined: the newest state, whatever the pages before showed. */
  readonly revision: Revision | undefined;
  readonly namespace: string;
  readonly name: string;
  /** Items behind the key, where the page before knew. */
  readonly remaining?: number;
}

/** Stands for no revision in particular. */
const NEWEST = -1;

export function formatContinueToken({ revision = NEWEST, namespace, name, remaining }: ContinueToken): string {
  const parts = [revision, namespace, name, ...(remaining === undefined ? [] : [remaining])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The token of a page of the list at that version which ends with the object. How many are behind it is not said. */
export function continueBehind(last: KubeObject, resourceVersion: string): string {
  const { namespace, name } = keyOf(last);
  return formatContinueToken({ revision: parseRevision(resourceVersion), namespace, name });
}

/** The same place in the list at that version; without a token, its beginning. Throws BadRequest for a token that is none of ours. */
export function continueAt(token: string | undefined, resourceVersion: string): string {
  const place = token === undefined ? { namespace: '', name: '' } : parseContinueToken(token);
  return formatContinueToken({ ...place, revision: parseRevision(resourceVersion) });
}

/** Whether a token goes on right behind the object, as that of a page of the store does behind its last. Those of views do not. */
export function isContinuedBehind(last: KubeObject, token: string): boolean {
  const key = keyOf(last);
  const [, namespace, name] = partsOf(token);
  return namespace === key.namespace && name === key.name;
}

/** Throws BadRequest when it is none of ours. */
export function parseContinueToken(text: string): ContinueToken {
  const [revision, namespace, name, remaining] = partsOf(text);
  const isPlace = isWholeNumber(revision, NEWEST) && typeof namespace === 'string' && typeof name === 'string';
  if (!isPlace || !(remaining === undefined || isWholeNumber(remaining, 0))) {
    throw badRequest('Invalid continue token: want the one that the previous page of this list gave');
  }
  const place = { revision: revision === NEWEST ? undefined : revision, namespace, name };
  return remaining === undefined ? place : { ...place, remaining };
}

function isWholeNumber(value: unknown, minimum: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= minimum;
}

function partsOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
