import type { DriftRecord } from './drift-record.js';

/** What one pass knows of drift, and does about it. */
export interface DriftScope {
  /** As it stands now. */
  record: DriftRecord;
  /** Nothing is applied until somebody decides. */
  isOnHold: boolean;
  /** What only the release changes is not applied until somebody asks for it. */
  isReleaseHeld?: true;
  /** Terraform is to run although the spec is applied: somebody said so, or the policy does. */
  correction?: 'decided' | 'policy';
  /** What is asked for is applied: Terraform runs for drift alone, or for what the release changes. */
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
