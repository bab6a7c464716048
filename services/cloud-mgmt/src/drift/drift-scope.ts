import type { DriftRecord } from './drift-record.js';

/** What one pass knows of drift, and does about it. */
export interface DriftScope {
  /** As it stands now. */
  record: DriftRecord;
  /** Nothing is applied until somebody decides. */
  isOnHold: boolean;
  /** Terraform is to run although the spec is applied: somebody said so, or the policy does. */
  correction?: 'decided' | 'policy';
  /** It is all that Terraform runs for: the spec is applied. */
  isOnlyCorrecting?: boolean;
  /** Value of the annotation that is being done. */
  decision?: string;
  /** What differed was just left to whoever changed it. */
  hasKept?: true;
  /** No slot was free: how long to wait for the next try. */
  postponedMs?: number;
  /** Terraform ran in this pass, or is about to. */
  isApplying: boolean;
}
