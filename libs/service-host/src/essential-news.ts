import { createHash } from 'node:crypto';
import type { KubeObject } from '@crate/api';
import type { ForeignChange } from './foreign-watch.js';

/** Tells changes that passes go by from those that they only show. Kept in memory only: what is heard of for the first time is news. */
export class EssentialNews {
  private readonly known = new Map<string, string>();

  constructor(private readonly essenceOf: (object: KubeObject) => unknown) {}

  /**
   * Has a change told, as shown only where the essence of the object is as when it was told of last. What could not be told is as if it had
   * never been heard of.
   */
  async tell(object: KubeObject, change: ForeignChange, tell: (isShownOnly: boolean) => Promise<void>): Promise<void> {
    const { uid } = object.metadata;
    const now = change === 'DELETED' ? undefined : digestOf(this.essenceOf(object));
    await tell(now !== undefined && now === this.known.get(uid));
    if (now === undefined) this.known.delete(uid);
    else this.known.set(uid, now);
  }
}

function digestOf(essence: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(essence) ?? '')
    .digest('base64');
}
