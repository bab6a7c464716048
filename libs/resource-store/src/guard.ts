import type { KubeObject } from '@crate/api';
import { conflict, type PlatformError } from '@crate/errors';
import { createHash } from 'node:crypto';
import type { Collection } from './resource-store.js';

/** The objects a guard is about: all of a kind in a namespace, or the one of that name. */
export interface GuardedObjects extends Collection {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name?: string;
}

/** What a write was decided on beyond its own object: it is committed only while these objects are as they were seen. */
export interface StoreGuard extends GuardedObjects {
  /** Of the objects seen, by `digestOf`. */
  readonly digest: string;
}

/** `details.reason` of the Conflict of a write whose guards do not hold any more: decide anew and write again. */
export const GUARD_CHANGED = 'GuardChanged';

/** Says which objects there are and what is asked of them, but not how they are: a written status changes nothing. */
export function digestOf(objects: readonly KubeObject[]): string {
  const parts = objects.map(({ metadata }) => `${metadata.uid}:${metadata.generation}`).sort();
  return `${parts.length}:${createHash('sha256').update(parts.join(',')).digest('hex')}`;
}

/** The Conflict of a write whose guards do not hold any more; it has to be decided anew. */
export function guardChanged({ kind, namespace }: GuardedObjects): PlatformError {
  const where = namespace === '' ? '' : ` in ${namespace}`;
  const message = `Others changed what this write was decided on (${kind}${where}), try again`;
  return conflict(message, { reason: GUARD_CHANGED });
}
