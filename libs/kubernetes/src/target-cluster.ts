import type { InventoryEntry, KubeObject, Manifest, WatchEvent } from '@crate/api';

/** Names one object of a target cluster; without `namespace` a namespaced kind means `default`. */
export type TargetRef = InventoryEntry;

/** Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
export interface ApplyObjectOptions {
  /** Who owns the fields stated, as server-side apply records it. */
  readonly fieldManager: string;
  /** Take fields over from other managers instead of failing with Conflict. */
  readonly force?: boolean;
  /** Answer what would be stored, and store nothing. */
  readonly dryRun?: boolean;
}

export interface TargetListOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** Kubernetes label selector syntax. */
  readonly labelSelector?: string;
  /** Kubernetes field selector syntax; which fields there are is up to the kind. */
  readonly fieldSelector?: string;
}

export interface TargetWatchOptions extends TargetListOptions {
  /** Deliver what changed after this revision. */
  readonly resourceVersion: string;
  /** The stream ends cleanly after this time. */
  readonly timeoutMs: number;
}

/** All objects of one revision, from which a watch can go on. */
export interface TargetList {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
}

/** A node as the target cluster's own API describes it. */
export interface TargetNode {
  readonly name: string;
  /** `control-plane` or `worker`. */
  readonly role: 'control-plane' | 'worker';
  readonly ready: boolean;
  /** Version of its kubelet, such as `v1.31.4`. */
  readonly version: string;
  readonly unschedulable: boolean;
}

/**
 * The API of one cluster that Crate looks after.
 *
 * Every method throws a PlatformError: Unavailable with reason `ConnectionDown` when nobody answers in time, `Redirected` when the answer
 * is to be asked for elsewhere, or `AnswerTooLarge` for more than is taken in; Unauthenticated (`KubeconfigRejected`), Forbidden,
 * NotFound, Conflict, InvalidSpec, Gone, TooManyRequests; Timeout when the caller's own signal fired.
 */
export abstract class TargetCluster {
  /**
   * Server-side apply: creates or updates. Idempotent: stating the same again stores nothing.
   * Waits some seconds for a kind that is not served yet, as just after its CRD was applied; then throws NotFound.
   */
  abstract applyObject(object: Manifest, options: ApplyObjectOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Undefined when the object, or its kind, does not exist. A version of the kind that is served no longer finds it by another one. */
  abstract find(ref: TargetRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /** Throws NotFound. */
  abstract get(ref: TargetRef, signal?: AbortSignal): Promise<KubeObject>;
  /** All pages of one snapshot. Throws NotFound when the kind is not served. */
  abstract list(
    apiVersion: string,
    kind: string,
    options?: TargetListOptions,
    signal?: AbortSignal,
  ): Promise<TargetList>;
  /** Asks for deletion in the background; absent already counts as done. Not proof that it is gone: `find` tells. */
  abstract remove(ref: TargetRef, signal?: AbortSignal): Promise<void>;
  /**
   * Asks a pod to go, as far as disruption budgets let it; absent already counts as done. Not proof that it is gone: `find` tells.
   * Throws TooManyRequests while a budget keeps it.
   */
  abstract evict(pod: TargetRef, signal?: AbortSignal): Promise<void>;
  /** Changes after a revision; throws Gone when it is too old. */
  abstract watch(
    apiVersion: string,
    kind: string,
    options: TargetWatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
  /** The API server's version, such as `v1.31.4`. */
  abstract version(signal?: AbortSignal): Promise<string>;
  /** Sorted by name. */
  abstract nodes(signal?: AbortSignal): Promise<readonly TargetNode[]>;
  /** Drops open connections. Idempotent; no other method may be called afterwards. */
  abstract close(): Promise<void>;
}
