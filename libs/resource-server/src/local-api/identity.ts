import { type KubeObject, type KubeObjectInput, isJsonObject } from '@crate/api';
import { apiVersionOf } from '@crate/api';
import { badRequest, conflict, type PlatformError } from '@crate/errors';
import type { ResourceRef } from '@crate/resource-client';
import type { ObjectKey } from '@crate/resource-store';
import type { RegisteredKind } from '../kinds/kind-registry.js';

const OBJECT_MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Where the store keeps an object. */
export function storeKey({ definition }: RegisteredKind, ref: Pick<ResourceRef, 'namespace' | 'name'>): ObjectKey {
  const { group, kind } = definition;
  return { group, kind, namespace: ref.namespace ?? '', name: ref.name };
}

/** Throws BadRequest unless the namespace is stated just when the kind has one. */
export function checkScope({ definition }: RegisteredKind, namespace: string | undefined): void {
  const { kind, namespaced } = definition;
  if (namespaced && !namespace) throw badRequest(`an empty namespace may not be set: ${kind} is namespaced`);
  if (!namespaced && namespace) throw badRequest(`namespace must not be set: ${kind} is cluster-scoped`);
}

/** Throws BadRequest unless the document is an object of this kind and version. */
export function checkType({ definition }: RegisteredKind, object: unknown): asserts object is KubeObjectInput {
  if (!isJsonObject(object)) throw badRequest('the request body must be an object');
  const expected = { apiVersion: apiVersionOf(definition), kind: definition.kind };
  for (const field of ['apiVersion', 'kind'] as const) {
    if (object[field] === expected[field]) continue;
    const given = object[field] === undefined ? 'is not set' : `(${JSON.stringify(object[field])}) is another one`;
    throw badRequest(`${field} of the document ${given}, this endpoint takes ${expected[field]}`);
  }
  if (object.metadata !== undefined && !isJsonObject(object.metadata)) throw badRequest('metadata must be an object');
}

/** Null and empty count as left out, as kube-apiserver has it; what is no text at all does not. */
export function isStated(name: unknown): boolean {
  return name !== undefined && name !== null && name !== '';
}

/** Throws BadRequest when the document names another object than the request; fills in what it leaves out, null, or empty. */
export function named(object: KubeObjectInput, ref: ResourceRef): KubeObject {
  const metadata = object.metadata ?? {};
  if (isStated(metadata.name) && metadata.name !== ref.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${ref.name})`);
  }
  if (isStated(metadata.namespace) && metadata.namespace !== ref.namespace) {
    throw badRequest(
      `the namespace of the provided object does not match the namespace sent on the request (${ref.namespace ?? ''})`,
    );
  }
  const namespace = ref.namespace === undefined ? {} : { namespace: ref.namespace };
  return { ...object, metadata: { ...metadata, name: ref.name, ...namespace } as KubeObject['metadata'] };
}

/** Throws Conflict when the document was made from another version, or another object of the same name. */
export function checkVersion(kind: RegisteredKind, live: KubeObject, desired: KubeObject): void {
  const { uid, resourceVersion } = desired.metadata;
  if (uid && uid !== live.metadata.uid) {
    throw modified(
      kind,
      live.metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== live.metadata.resourceVersion)
    throw modified(kind, live.metadata.name, OBJECT_MODIFIED);
}

/** The Conflict of optimistic concurrency. */
export function modified({ definition }: RegisteredKind, name: string, why: string): PlatformError {
  const { group, plural } = definition;
  const resource = group === '' ? plural : `${plural}.${group}`;
  const message = `Operation cannot be fulfilled on ${resource} "${name}": ${why}`;
  return conflict(message, { group, kind: plural, name });
}
