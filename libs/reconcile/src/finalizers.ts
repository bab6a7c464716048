import type { KubeObject } from '@crate/api';
import { conflict, hasCode } from '@crate/errors';
import type { FindingClient } from './finding-client.js';

/** What finalizer operations need of a client; `TypedClient` offers it. */
export interface FinalizerClient<T extends KubeObject> extends FindingClient<T> {
  /** JSON merge patch; throws Conflict when the patch names another `metadata.resourceVersion` than the stored one. */
  merge(name: string, namespace: string | undefined, patch: unknown): Promise<T>;
}

// Each lost race means that somebody else got on, so a handful is plenty.
const MAX_TRIES = 8;

/** True when the object carries the finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** True while the very object is there, not one that bears its name by now. For what is kept by name, right before it is removed. */
export async function isStillThere<T extends KubeObject>(client: FindingClient<T>, { metadata }: T): Promise<boolean> {
  return (await client.find(metadata.name, metadata.namespace))?.metadata.uid === metadata.uid;
}

/**
 * Adds the finalizer to the set, whatever else changes meanwhile. No call when it is there already.
 * Throws Conflict when the object is being deleted or is not the same any more (by uid): look again.
 */
export async function ensureFinalizer<T extends KubeObject>(
  client: FinalizerClient<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  const changed = await change(client, object, (current) => {
    if (current.metadata.deletionTimestamp) throw conflict('The object is being deleted', nameOf(current));
    return [...new Set([...(current.metadata.finalizers ?? []), finalizer])];
  });
  if (!changed) throw conflict('The object is gone', nameOf(object));
  return changed;
}

/** Takes the finalizer out of the set, whatever else changes meanwhile; undefined when the object is gone. Idempotent. */
export function removeFinalizer<T extends KubeObject>(
  client: FinalizerClient<T>,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return change(client, object, (current) => (current.metadata.finalizers ?? []).filter((each) => each !== finalizer));
}

/** Read-modify-write of the list; starts with the object at hand, which is nearly always current. */
async function change<T extends KubeObject>(
  client: FinalizerClient<T>,
  object: T,
  compute: (current: T) => readonly string[],
): Promise<T | undefined> {
  const { name, namespace, uid } = object.metadata;
  let current: T | undefined = object;
  for (let tries = 0; tries < MAX_TRIES && current?.metadata.uid === uid; tries++) {
    const finalizers = compute(current);
    if (finalizers.length === (current.metadata.finalizers ?? []).length) return current;
    const { resourceVersion } = current.metadata;
    try {
      return await client.merge(name, namespace, { metadata: { uid, resourceVersion, finalizers } });
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'NotFound')) throw error;
    }
    current = await client.find(name, namespace);
  }
  if (current?.metadata.uid === uid) throw conflict('The object changes too often', nameOf(object));
  return undefined;
}

function nameOf(object: KubeObject): { kind: string; name: string } {
  return { kind: object.kind, name: object.metadata.name };
}
