/** Names a dependent's owner; deleting the owner deletes the dependent. Same namespace or cluster-scoped owner only. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** One manager's share of an object, as server-side apply records it. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Record<string, unknown>;
  readonly subresource?: string;
}

/**
 * Kubernetes object metadata with the exact Kubernetes meaning of every field.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  /** Decimal string; order is commit order within one service. Opaque to clients. */
  resourceVersion: string;
  /** Moves by one when the desired state (anything but metadata and status) changes. */
  generation: number;
  /** RFC 3339, UTC, whole seconds. */
  creationTimestamp: string;
  /** When the deletion was asked for, RFC 3339, UTC; the object goes with its last finalizer. */
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of a Kubernetes-shaped API; top-level fields besides the three vary by kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** An object as a client sends it: the server fills in the missing metadata. */
export interface KubeObjectInput {
  apiVersion: string;
  kind: string;
  metadata: Partial<ObjectMeta>;
  [field: string]: unknown;
}

/** A typed resource. `status` may be absent until its owner service made a first pass. */
export interface Resource<Spec, Status> extends KubeObject {
  spec: Spec;
  status?: Status;
}

/** A page of objects read from one consistent snapshot. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** One change seen by a watch. A BOOKMARK's object carries only its kind and resourceVersion. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** Splits `group/version`; the core group is the empty string. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Joins a group and a version as `apiVersion` has them. */
export function formatApiVersion(group: string, version: string): string {
  return group ? `${group}/${version}` : version;
}
