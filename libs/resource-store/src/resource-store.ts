import type { KubeList, KubeObject, WatchEvent } from '@crate/api';
import type { StoreGuard } from './guard.js';

/** Group and kind identify a collection; the version served is not part of a stored object's identity. */
export interface Collection {
  readonly group: string;
  readonly kind: string;
}

/** `namespace` is the empty string for cluster-scoped kinds. */
export interface ObjectKey extends Collection {
  readonly namespace: string;
  readonly name: string;
}

/** A selector that is malformed is BadRequest. */
export interface StoreQuery extends Collection {
  /** Absent: all, and cluster-scoped kinds. */
  readonly namespace?: string;
  /** Kubernetes label selector syntax. */
  readonly labelSelector?: string;
  /** Kubernetes field selector syntax; any dotted path of the stored object. */
  readonly fieldSelector?: string;
}

/** `exactly` and `notBefore` are for first pages: a token says its revision itself. */
export interface StoreListOptions {
  /** Most items of a page; absent or 0: all. */
  readonly limit?: number;
  /**
   * Opaque token of an earlier page; the pages together are one snapshot. When it is too old throws Gone, whose details hold
   * a token that goes on with the newest state instead.
   */
  readonly continue?: string;
  /** The state at just this revision. Throws Gone when it is older than the log, Timeout when it is not reached yet. */
  readonly exactly?: string;
  /** Throws Timeout when this revision is not reached yet. */
  readonly notBefore?: string;
  /** Only these fields of the spec, no status and no managedFields: saves reading the rest of many objects. Absent: whole objects. */
  readonly onlySpec?: readonly string[];
}

/** Two watches from the same revision are told the same. */
export interface StoreWatchOptions {
  /** Every change after this revision, exactly once and in order. Absent: from now. Throws Gone when older than the log. */
  readonly fromRevision?: string;
  readonly signal: AbortSignal;
  /** A BOOKMARK at least this often while nothing else happens, and one at the end of the time; absent: none. */
  readonly bookmarkEveryMs?: number;
  /** The watch ends after this time; absent: when the signal aborts. */
  readonly endAfterMs?: number;
}

/** A change, as hints on the bus and the reconcile engine see it. */
export interface ChangeNotice {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
}

/**
 * Hears of changes after they were committed: `local` by this store, `remote` by another replica. Must not throw.
 * Each local change is told once; a remote one once as well, unless this process was cut off for longer than the log reaches back.
 */
export type ChangeListener = (notices: readonly ChangeNotice[], origin: 'local' | 'remote') => void;

/**
 * Objects of one service (or one simulated cluster) with a revision that is dense and in commit order.
 *
 * The store owns the system metadata: `uid`, `resourceVersion`, `creationTimestamp`, `generation`, `deletionTimestamp`.
 * A write that changes nothing returns the stored object with its old resourceVersion and logs no change.
 */
export abstract class ResourceStore {
  abstract find(key: ObjectKey): Promise<KubeObject | undefined>;

  /**
   * One consistent snapshot, ordered by namespace and name. A page that is not the last says how many items remain, unless
   * selectors make that costly to know.
   */
  abstract list(query: StoreQuery, options?: StoreListOptions): Promise<KubeList>;

  /**
   * Throws AlreadyExists. `object.metadata` needs name (and namespace); labels, annotations, finalizers, ownerReferences, managedFields are kept.
   * If all its owners were removed from this store already, it is created and deleted at once, as Kubernetes' garbage collector would do.
   */
  abstract create(object: KubeObject, options?: StoreWriteOptions): Promise<KubeObject>;

  /**
   * Replaces the object if it is still at `object.metadata.resourceVersion` (empty: whatever it is at); throws Conflict or NotFound.
   * `uid` must match when set. `generation` moves when anything but `metadata` and `status` changed, or when deletion is requested.
   * An object with a deletionTimestamp whose last finalizer is taken away is removed, with the cascade; the returned object is its last state.
   */
  abstract update(object: KubeObject, options?: StoreWriteOptions): Promise<KubeObject>;

  /**
   * Without finalizers removes at once; with finalizers sets `deletionTimestamp` (idempotent: a second call changes nothing).
   * Dependents (ownerReferences by uid, in this store, in the owner's namespace or of a cluster-scoped owner) whose owners are all gone are deleted the same way, in the same transaction:
   * `Background` after the owner is gone, `Foreground` before it (finalizer `foregroundDeletion`), `Orphan` takes the reference away.
   * Throws NotFound, or Conflict when a precondition fails.
   */
  abstract remove(key: ObjectKey, options?: StoreRemoveOptions): Promise<KubeObject>;

  /** Iteration ends when the signal aborts. Objects of events are shared and frozen: copy them before changing them. Selectors apply to transitions: an object that stops matching is seen as DELETED. */
  abstract watch(query: StoreQuery, options: StoreWatchOptions): AsyncIterable<WatchEvent>;

  /** All changes of this store after `fromRevision`, at most `limit`; for hints and cursors. */
  abstract changesSince(fromRevision: string, limit: number): Promise<readonly ChangeNotice[]>;

  /** The newest committed revision. */
  abstract currentRevision(): Promise<string>;

  /** Forgets changes older than `keep` revisions; watches from before then get Gone. */
  abstract compact(keep: number): Promise<void>;

  /**
   * Calls the listener with the changes of each local commit, before the write resolves, and with those of other replicas once
   * `notify` or the poll found them; returns a function that stops it.
   */
  abstract onChange(listener: ChangeListener): () => void;

  /**
   * Another replica committed something: look now instead of at the next poll. Listeners are told of what is found; with
   * the revision of it, nothing is read that this store has told them of already.
   */
  abstract notify(revision?: string): void;

  /** Stops pollers; open watches end. */
  abstract close(): Promise<void>;
}

/** Without any a write is held to the `resourceVersion` of its object alone. */
export interface StoreWriteOptions {
  /** The write is committed only while these hold; otherwise it throws Conflict with reason `GuardChanged`. A write that changes nothing is not held to them. */
  readonly guards?: readonly StoreGuard[];
  /**
   * The stored object that an update was made from, unchanged: saves reading it again. The commit verifies that it is
   * still the newest, so that nothing depends on its age.
   */
  readonly seen?: KubeObject;
}

/** Without `uid` and `resourceVersion` whatever has the name is removed. */
export interface StoreRemoveOptions extends StoreWriteOptions {
  /** Conflict when the object has another one. */
  readonly uid?: string;
  /** Conflict when the object is at another one. */
  readonly resourceVersion?: string;
  /** Default: as its finalizers `orphan` and `foregroundDeletion` say, else `Background`. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}
