import { badRequest } from '@crate/errors';
import type { Revision } from './revision.js';

/** Where a list was left: all pages show the state at `revision`, this one begins behind the key. */
export interface ContinueToken {
  readonly revision: Revision;
  readonly namespace: string;
  readonly name: string;
}

export function formatContinueToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify([token.revision, token.namespace, token.name])).toString('base64url');
}

/** Throws BadRequest when it is none of ours. */
export function parseContinueToken(text: string): ContinueToken {
  const [revision, namespace, name] = parts(text);
  if (Number.isSafeInteger(revision) && typeof namespace === 'string' && typeof name === 'string') {
    return { revision: revision as number, namespace, name };
  }
  throw badRequest('Invalid continue token: want the one that the previous page of this list gave');
}

function parts(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
