import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '@crate/api';
import { badRequest, conflict, invalidSpec } from '@crate/errors';
import { isSameJson } from './json.js';
import { keyOf } from './object-key.js';

/** What the store adds to an object when it is created. */
export interface Birth {
  readonly uid: string;
  readonly now: Date;
}

type WritableMetadata = Pick<
  ObjectMeta,
  'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'managedFields' | 'generateName'
>;

/** PostgreSQL's jsonb holds neither NUL nor half a surrogate pair; an odd number of backslashes makes it an escape. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** RFC 3339, UTC, whole seconds, as Kubernetes writes times. */
export function timestampOf(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** A private copy as JSON sees it: without undefined fields. Throws BadRequest when it has no name or cannot be stored. */
export function copyInput(object: KubeObject): KubeObject {
  const text = JSON.stringify(object);
  if (UNSTORABLE_ESCAPE.test(text)) throw badRequest('The object contains a NUL character or an unpaired surrogate');
  const copy = JSON.parse(text) as KubeObject;
  if (!copy.metadata.name) throw badRequest('metadata.name is required');
  return copy;
}

/** The first version of an object. Its resourceVersion is set by the commit. */
export function newObject(input: KubeObject, birth: Birth): KubeObject {
  const { name, namespace } = input.metadata;
  return {
    ...input,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...writableMetadata(input.metadata),
      uid: birth.uid,
      resourceVersion: '',
      generation: 1,
      creationTimestamp: timestampOf(birth.now),
    },
  };
}

/**
 * The version that follows `current` when a client writes `input`: system metadata stays, `generation` moves when the desired state did.
 * Throws InvalidSpec when finalizers are added to an object under deletion.
 */
export function nextObject(current: KubeObject, input: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, generation } = current.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds, generateName } = current.metadata;
  const { generateName: _fixedAtCreation, ...writable } = writableMetadata(input.metadata);
  if (deletionTimestamp !== undefined) refuseNewFinalizers(current, input);
  return {
    ...input,
    metadata: {
      name,
      ...(generateName === undefined ? {} : { generateName }),
      ...(namespace === undefined ? {} : { namespace }),
      ...writable,
      uid,
      resourceVersion,
      generation: generation + (isSameJson(desiredState(current), desiredState(input)) ? 0 : 1),
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
  };
}

/** True when writing `next` over `current` would change nothing but the times in managedFields. */
export function isUnchanged(current: KubeObject, next: KubeObject): boolean {
  return isSameJson(current, next) || isSameJson(withoutTimes(current), withoutTimes(next));
}

/** Throws Conflict unless the object is still the one, and at the version, that the writer saw. Absent or empty means any. */
export function requireVersion(
  current: KubeObject,
  seen: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined },
): void {
  const { uid, resourceVersion } = current.metadata;
  const { group, kind, name } = keyOf(current);
  const resource = group ? `${kind}.${group}` : kind;
  if (seen.uid && seen.uid !== uid) {
    throw conflict(`${resource} "${name}" has uid ${uid}, not ${seen.uid}: it was created anew`, { group, kind, name });
  }
  if (seen.resourceVersion && seen.resourceVersion !== resourceVersion) {
    const message = `${resource} "${name}" has been modified: it is at resourceVersion ${resourceVersion}, not ${seen.resourceVersion}`;
    throw conflict(message, { group, kind, name });
  }
}

function writableMetadata(metadata: ObjectMeta): WritableMetadata {
  const { labels, annotations, finalizers, ownerReferences, managedFields, generateName } = metadata;
  return {
    ...(generateName ? { generateName } : {}),
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(finalizers?.length ? { finalizers: [...new Set(finalizers)] } : {}),
    ...(ownerReferences?.length ? { ownerReferences } : {}),
    ...(managedFields?.length ? { managedFields } : {}),
  };
}

/** Everything but identity, metadata and status; a new served version alone is no change of it. */
function desiredState(object: KubeObject): Record<string, unknown> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (!managedFields) return object;
  const timeless = managedFields.map(({ time: _time, ...entry }): ManagedFieldsEntry => entry);
  return { ...object, metadata: { ...object.metadata, managedFields: timeless } };
}

function refuseNewFinalizers(current: KubeObject, input: KubeObject): void {
  const added = (input.metadata.finalizers ?? []).filter((name) => !current.metadata.finalizers?.includes(name));
  if (added.length === 0) return;
  const message = `No new finalizers can be added while the object is being deleted, found: ${added.join(', ')}`;
  const { group, kind, name } = keyOf(current);
  throw invalidSpec(message, [{ reason: 'FieldValueForbidden', message, field: 'metadata.finalizers' }], {
    group,
    kind,
    name,
  });
}
