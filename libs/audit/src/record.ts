/** What became of one field. A value that is a secret reads `[redacted]`, one that is long ends in its length. */
export interface FieldChange {
  /** JSON pointer (RFC 6901) into the object. */
  readonly path: string;
  /** Absent when the field was not there. */
  readonly from?: unknown;
  /** Absent when the field is gone. */
  readonly to?: unknown;
}

/** One call as the audit log holds it. Plain JSON without secrets. */
export interface AuditRecord {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  /** The service whose log this is in. */
  readonly service: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** The platform service that called on behalf of `user`, or did what they had decided. */
  readonly via?: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly traceId: string;
  readonly verb: string;
  readonly group: string;
  /** Plural. */
  readonly resource: string;
  readonly kind?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  /** The Project that the call concerns; empty for none. */
  readonly project: string;
  readonly dryRun?: true;
  /** `denied`: the caller may not (403), or not now (429). */
  readonly decision: 'allowed' | 'denied';
  /** HTTP status code of the answer. */
  readonly code: number;
  /** Kubernetes' reason of a failure. */
  readonly reason?: string;
  readonly message?: string;
  /** Version of the object that the write made. */
  readonly resourceVersion?: string;
  /** What changed of the object; absent where nothing did. */
  readonly changes?: readonly FieldChange[];
  /** So many more fields changed than `changes` has room for. */
  readonly changesOmitted?: number;
  /** Further objects that the same write changed or removed, as `kind/namespace/name`. */
  readonly alsoChanged?: readonly string[];
  /** The record stands for so many alike calls of the ten seconds before it. */
  readonly repeated?: number;
  /** Of a `cut`: the rows that were removed and the hash of the last of them. */
  readonly cut?: { readonly from: number; readonly to: number; readonly hash: string };
}

/** A record with its place in the chain. */
export interface AuditRow {
  readonly seq: number;
  /** The record as it was hashed, byte for byte. */
  readonly line: string;
  /** Hexadecimal. */
  readonly hash: string;
}
