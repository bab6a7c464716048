import type { KubeList, KubeObject, KubeObjectInput, WatchEvent } from '@crate/api';

/** Who asks. `service` is set when a platform service acts, on behalf of `user`. */
export interface Caller {
  readonly user: string;
  readonly groups: readonly string[];
  readonly service?: string;
  /** Facts of the authenticator beyond user and groups, as Kubernetes' UserInfo.extra; keys are domain-prefixed. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Where a request of a person came from, for the audit log. */
export interface CallOrigin {
  /** IP address of the peer. */
  readonly address?: string;
  readonly userAgent?: string;
}

/** What travels with every call. */
export interface CallContext {
  readonly caller: Caller;
  readonly traceId: string;
  readonly origin?: CallOrigin;
  /**
   * Name of whoever decided what a service now does on its own account, such as the approver of a plan: for the record, and where two
   * people are asked for. It gives no rights, and stays in the process: no call from outside brings it along.
   */
  readonly decidedBy?: string;
  readonly signal?: AbortSignal;
}

/** Names a kind the way URLs do. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Names one object; `namespace` is absent for cluster-scoped kinds. */
export interface ResourceRef extends ResourceType {
  readonly namespace?: string;
  readonly name: string;
}

/** As in Kubernetes. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/ */
export interface ListOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** Kubernetes label selector syntax. */
  readonly labelSelector?: string;
  /** Kubernetes field selector syntax over `metadata.name`, `metadata.namespace` and the kind's selectable fields. */
  readonly fieldSelector?: string;
  /** Most items of the page; absent or 0: all. */
  readonly limit?: number;
  /** From the page before; all pages are of one revision. Throws Gone once that is forgotten. */
  readonly continue?: string;
  /** The state at it, or a later one; Timeout while it is not reached. Absent or "0": any. Not together with `continue`. */
  readonly resourceVersion?: string;
  /** `Exact`: the state at just that revision, Gone when it is forgotten. Default `NotOlderThan`. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** Objects are chosen as in `ListOptions`. */
export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Deliver every change after this revision. Absent or "0": first ADDED for all that exists, then changes. */
  readonly resourceVersion?: string;
  /** Takes a BOOKMARK now and then, whose object has nothing but the revision to go on from. */
  readonly allowBookmarks?: boolean;
  /** After the initial ADDED events send a BOOKMARK annotated `k8s.io/initial-events-end: "true"`. */
  readonly sendInitialEvents?: boolean;
  /** The stream ends cleanly after this time. */
  readonly timeoutMs?: number;
}

/** What unknown and duplicate fields lead to: InvalidSpec, a warning in the answer, or nothing. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** As in Kubernetes. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/ */
export interface WriteOptions {
  /** Answers with what would be stored; nothing is, here or elsewhere. */
  readonly dryRun?: boolean;
  /** Who owns the fields from now on, as `managedFields` records it. */
  readonly fieldManager?: string;
  /** Default `Strict` for people's calls, as kubectl asks. */
  readonly fieldValidation?: FieldValidation;
  /** Writes only this part; `status` is the one writable subresource. */
  readonly subresource?: 'status';
}

/** A write to a subresource other than `status`, such as `scale` or one that issues a token. */
export interface SubresourceWrite {
  readonly verb: 'create' | 'patch' | 'update';
  readonly body: unknown;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

/** Parameters of a read, by name. */
export type SubresourceQuery = Readonly<Record<string, string>>;

/** Which part of a log is wanted. */
export interface LogQuery {
  /** Only so many of the last lines; absent: all. */
  readonly tailLines?: number;
  /** Only what was logged after this time, RFC 3339. */
  readonly since?: string;
  /** Each line begins with its time, RFC 3339 in microseconds, and a space. */
  readonly timestamps?: boolean;
}

/** A part of a log. */
export interface LogChunk {
  /** Whole lines, each with its line feed; empty when nothing was added in time. */
  readonly text: string;
  /** Where the next part begins. */
  readonly cursor: string;
  /** Nothing will be added any more. */
  readonly isComplete: boolean;
}

/** Idempotent: the same cursor gives the same lines, and what came since. */
export interface ReadLogOptions {
  readonly query: LogQuery;
  /** Of the chunk before; absent: from the start of what the query asks for. */
  readonly cursor?: string;
  /** How long to wait for something new; 0: answer at once. */
  readonly waitMs: number;
}

/** `strategic` is taken by Kubernetes' own kinds only, in simulated clusters. */
export type PatchType = 'merge' | 'json' | 'apply' | 'strategic';

/** `apply` throws InvalidSpec without a `fieldManager`, and Conflict where others own a field and `force` is not set. */
export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  /** Server-side apply only: take fields over from other managers. */
  readonly force?: boolean;
  /** Server-side apply only: false throws NotFound instead of creating the object; default: true. */
  readonly mayCreate?: boolean;
}

/** A precondition that does not hold is a Conflict. */
export interface DeleteOptions {
  /** Does everything but delete. */
  readonly dryRun?: boolean;
  /** What becomes of objects that this one owns. Default: as its finalizers say, else `Background`. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The answer to a write: the stored object and warnings for the `Warning` header (RFC 7234 text without code and agent). */
export interface WriteResult<T extends KubeObject = KubeObject> {
  readonly object: T;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** The answer to a deletion: the object as it is afterwards, and warnings for the `Warning` header. */
export interface RemoveResult<T extends KubeObject = KubeObject> {
  readonly object: T;
  readonly warnings: readonly string[];
}

/**
 * The verbs of a Kubernetes-shaped API, the same whether the owner is this process or another service over NATS.
 * Every method throws a PlatformError: NotFound, AlreadyExists, Conflict, InvalidSpec, BadRequest, Forbidden, Gone, Unavailable, Timeout.
 */
export abstract class ResourceApi {
  abstract get(ref: ResourceRef, context: CallContext): Promise<KubeObject>;
  abstract list(type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList>;
  /**
   * Ends when `context.signal` aborts or `timeoutMs` passed, but not before it has told what there was to tell. Throws Gone when the
   * revision is older than the log.
   */
  abstract watch(type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent>;
  abstract create(
    type: ResourceType,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult>;
  /** Full replacement. With `metadata.resourceVersion` set it must match, or Conflict. */
  abstract update(
    ref: ResourceRef,
    object: KubeObjectInput,
    options: WriteOptions,
    context: CallContext,
  ): Promise<WriteResult>;
  /** Read-modify-write inside the owner; retried there on a race unless the patch names a resourceVersion. */
  abstract patch(ref: ResourceRef, patch: unknown, options: PatchOptions, context: CallContext): Promise<WriteResult>;
  /**
   * Gives the object as it is afterwards: still there with a deletionTimestamp while finalizers remain. Warnings come from this process
   * only: the NATS contract answers a deletion with the object alone.
   */
  abstract remove(ref: ResourceRef, options: DeleteOptions, context: CallContext): Promise<RemoveResult>;
  /** Deletes all that match; not atomic. Gives the objects it asked to delete. */
  abstract removeCollection(
    type: ResourceType,
    list: ListOptions,
    options: DeleteOptions,
    context: CallContext,
  ): Promise<KubeList>;
  /** Reads a subresource such as `kubeconfig`; NotFound when the kind has none of that name. `query` holds the parameters that it declares. */
  abstract readSubresource(
    ref: ResourceRef,
    subresource: string,
    context: CallContext,
    query?: SubresourceQuery,
  ): Promise<unknown>;
  /** Writes a subresource other than `status`; NotFound when the kind has none of that name. */
  abstract writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown>;
  /** The next part of a subresource that is a log; a follower calls again with the cursor it got. */
  abstract readLog(
    ref: ResourceRef,
    subresource: string,
    options: ReadLogOptions,
    context: CallContext,
  ): Promise<LogChunk>;
}
