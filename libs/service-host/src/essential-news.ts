import { createHash } from 'node:crypto';
import type { KubeObject } from '@crate/api';
import type { ForeignChange } from './foreign-watch.js';

/** Tells changes that passes go by from those that they only show. Kept in memory only: what is heard of for the first time is news. */
export class EssentialNews {
  private readonly known = new Map<string, string>();

  constructor(private readonly essenceOf: (object: KubeObject) => unknown) {}

  /** Whether the essence of the object is another than when it was heard of last, or the object has gone. */
  isIn(object: KubeObject, change: ForeignChange): boolean {
    const { uid } = object.metadata;
    const before = this.known.get(uid);
    if (change === 'DELETED') return this.known.delete(uid) || true;
    const now = digestOf(this.essenceOf(object));
    this.known.set(uid, now);
    return now !== before;
  }
}

function digestOf(essence: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(essence) ?? '')
    .digest('base64');
}
