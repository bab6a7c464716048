import type { PolicyStage } from '@crate/api';
import type { ClusterKey, DocumentKey, RememberedDocument } from './remembered-document.js';

/** Names documents; what is absent may be anything. */
export interface DocumentSelector {
  readonly namespace: string;
  readonly cluster?: string;
  readonly stage?: PolicyStage;
  readonly kind?: string;
  readonly name?: string;
}

/** A document that is to be stored. */
export interface DocumentDraft {
  readonly key: DocumentKey;
  /** The request as JSON; absent: as it is stored, if it is. */
  readonly content?: string;
}

/** Which documents are to be opened. */
export interface DocumentQuery {
  /** Absent: of all. */
  readonly cluster?: ClusterKey;
  /** Absent: of all stages. */
  readonly stages?: readonly PolicyStage[];
  /** Absent: all Projects. */
  readonly inProject?: (namespace: string) => boolean;
  /** Whether a document that cannot be read for now is in the way of all others. Default: it is left out. */
  readonly isWhole?: boolean;
}

/** How many documents of a stage there are. */
export interface StageCount {
  readonly stage: PolicyStage;
  readonly documents: number;
}

/** Documents that were asked about, encrypted at rest. */
export abstract class DocumentRepository {
  /** Stores those that differ from what is stored, and notes the day for all that are there and can be read. Keys are different. Gives the clusters of those it stored. */
  abstract save(drafts: readonly DocumentDraft[]): Promise<readonly ClusterKey[]>;
  /** Idempotent. Gives the clusters of those it removed. */
  abstract forget(which: DocumentSelector): Promise<readonly ClusterKey[]>;
  /** Removes what nobody asked about for so long, by days and the clock that is one for all replicas. Gives the clusters of those it removed. */
  abstract removeUnseen(forMs: number): Promise<readonly ClusterKey[]>;
  /** Every cluster that there is a document of. */
  abstract clusters(): Promise<readonly ClusterKey[]>;
  /** Differs whenever a document of the cluster does; undefined when there is none. */
  abstract digestOf(cluster: ClusterKey): Promise<string | undefined>;
  /**
   * Opens one after the other, by key; holds a few at a time. What was tampered with is left out, and removed; what stands under a key that
   * is not there is left out, or, of what is to be whole, throws Unavailable (`EncryptionKeyMissing`).
   */
  abstract open(query: DocumentQuery): AsyncIterable<RememberedDocument>;
  abstract counts(): Promise<readonly StageCount[]>;
}
