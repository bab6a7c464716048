import type { KindDefinition, KubeObject } from '@crate/api';
import type {
  CallContext,
  LogChunk,
  ReadLogOptions,
  ResourceApi,
  ResourceRef,
  SubresourceQuery,
  SubresourceWrite,
} from '@crate/resource-client';
import type { StoreGuard } from '@crate/resource-store';
import type { WriteAttempt } from '../local-api/write-attempt.js';
import type { JsonSchema } from './json-schema.js';

/** A write as an admission hook sees it: after defaulting and validation, before it is stored. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The object as it would be stored; for DELETE, as it is. */
  readonly object: KubeObject;
  /** The stored object; absent for CREATE. */
  readonly oldObject?: KubeObject;
  readonly context: CallContext;
  /** No side effect may outlive the call. */
  readonly dryRun: boolean;
  /** The same for all hooks that judge one attempt of a write. */
  readonly attempt?: WriteAttempt;
}

/** What a hook adds; a changed `object` is validated again. */
export interface AdmissionResult {
  readonly warnings?: readonly string[];
  readonly object?: KubeObject;
  /** Objects of this store that the hook judged by: it is asked anew when one changes before the write is stored. */
  readonly guards?: readonly StoreGuard[];
  /**
   * The write takes another one back: its body belongs to whom the document names in `metadata.managedFields`, besides those who own
   * what it leaves alone, and not to the writer. Heard of hooks that prepare.
   */
  readonly isReturn?: true;
}

/**
 * Judges or changes a write; throws a PlatformError to refuse it. Called again when a write races with another,
 * so side effects must be idempotent. Writes to the `status` subresource do not pass here.
 */
export type AdmissionHook = (request: AdmissionRequest) => Promise<AdmissionResult | void>;

/** Reads a subresource of an object that exists; a string is sent as text, a `subresourceFile` as the file it is, anything else as JSON. */
export type SubresourceReader = (
  object: KubeObject,
  ref: ResourceRef,
  context: CallContext,
  query?: SubresourceQuery,
) => Promise<unknown>;

/** How a subresource of an object that exists is answered. */
export interface SubresourceHandler {
  readonly read?: SubresourceReader;
  readonly write?: (
    object: KubeObject,
    ref: ResourceRef,
    write: SubresourceWrite,
    context: CallContext,
  ) => Promise<unknown>;
  /** Of a subresource that is a log. */
  readonly readLog?: (
    object: KubeObject,
    ref: ResourceRef,
    options: ReadLogOptions,
    context: CallContext,
  ) => Promise<LogChunk>;
}

/** Which names a kind takes: a DNS subdomain (the default), a DNS label, or any one path segment (RBAC kinds). */
export type NameFormat = 'dnsSubdomain' | 'dnsLabel' | 'pathSegment';

/** A kind as this process serves it. */
export interface ServedKind {
  readonly definition: KindDefinition;
  /**
   * Structural schema (as a CustomResourceDefinition has it) of the object without `apiVersion`, `kind` and `metadata`.
   * When set it validates, prunes and defaults in place of `definition.body`.
   */
  readonly schema?: JsonSchema;
  readonly nameFormat?: NameFormat;
  /**
   * Fills in what a document leaves out, before it is validated: objects may lack required fields here, or have any shape. Not
   * called for `status` and deletions. `metadata.managedFields` tells who owns what by this write's statement; what is filled in
   * belongs to nobody. Otherwise as `admit`.
   */
  readonly prepare?: readonly AdmissionHook[];
  readonly admit?: readonly AdmissionHook[];
  readonly subresources?: Readonly<Record<string, SubresourceReader | SubresourceHandler>>;
  /** What belongs to an object goes with it, also where a deletion asks for `Orphan`: as what is in a namespace of Kubernetes does. */
  readonly leavesNoOrphans?: boolean;
  /**
   * Somebody reconciles its objects. A new one then has `status.observedGeneration: 0`, so that nobody takes it for done before the first
   * pass: kstatus, which Flux and Helm wait by, holds an object that has neither that nor conditions for current.
   */
  readonly isReconciled?: boolean;
  /** Answers all verbs in place of the store: a kind that is a view of something else. */
  readonly api?: ResourceApi;
}
