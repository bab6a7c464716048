import type { ClusterKey } from '../memory/remembered-document.js';
import type { Counts } from './assessment.js';

/** How a cluster stood when it was last judged. */
export interface StoredAssessment extends ClusterKey {
  /** Of the rules and the documents that it was judged by and from. */
  readonly rulesDigest: string;
  readonly documentsDigest: string;
  readonly assessedAt: Date;
  readonly documents: number;
  readonly rules: ReadonlyMap<string, Counts>;
  readonly summary: Counts;
  /** How many by level and effect, such as `must/deny`. */
  readonly violations: Readonly<Record<string, number>>;
}

/** Numbers by rule of each cluster. */
export abstract class AssessmentRepository {
  abstract find(cluster: ClusterKey): Promise<StoredAssessment | undefined>;
  /** By cluster. */
  abstract ofProject(namespace: string): Promise<readonly StoredAssessment[]>;
  /** Replaces what is there. */
  abstract save(assessment: StoredAssessment): Promise<void>;
  /** Idempotent. */
  abstract remove(cluster: ClusterKey): Promise<void>;
  /** Every cluster that there is an assessment of. */
  abstract clusters(): Promise<readonly ClusterKey[]>;
  /** Violations of all clusters together, by level and effect. */
  abstract violations(): Promise<Readonly<Record<string, number>>>;
}
