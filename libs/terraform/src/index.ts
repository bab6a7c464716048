export type { AttributeDifference } from './attribute-differences.js';
export type { TerraformFailure } from './classify-failure.js';
export type { TerraformFailureCode } from './failure-rules.js';
export { foundDrift, type DriftDocuments, type DriftedResource } from './found-drift.js';
export { maskPlanDocument, type TerraformPlan } from './plan-document.js';
export { planDigest, type DigestAlias } from './plan-digest.js';
export {
  plannedChanges,
  type AttributeChange,
  type PlannedAction,
  type PlannedChanges,
  type ResourceChange,
} from './planned-changes.js';
export { ProgressTracker, type TerraformProgress } from './progress-tracker.js';
export { objectDifference, stateDifference, type StateDifference, type StateResourceDifference } from './state-diff.js';
export { parseState, type StateResource, type TerraformState } from './state-file.js';
export { stateResources, type StateResourceFact } from './state-resources.js';
export { readStateObjects, type StateObject } from './state-objects.js';
export type { StoreState } from './state-mirror.js';
export { findTerraform, type FindTerraformOptions, type TerraformBinary } from './terraform-binary.js';
export type { TerraformRunOptions } from './terraform-command.js';
export { TerraformError, terraformFailureOf } from './terraform-error.js';
export type { ChangeAction, ChangeSummary, TerraformDiagnostic, TerraformEvent } from './terraform-event.js';
export { TerraformRunner, type TerraformRunnerOptions } from './terraform-runner.js';
export { TerraformSlots, type ReleaseSlot, type SlotRequest } from './terraform-slots.js';
export { TerraformWorkspace, type ApplyOptions, type PlanOptions } from './terraform-workspace.js';
