export type { AttributeDifference } from './attribute-differences.js';
export { isSamePlace } from './attribute-path.js';
export type { TerraformFailure } from './classify-failure.js';
export type { TerraformFailureCode } from './failure-rules.js';
export { foundDrift, type DriftedResource } from './found-drift.js';
export { outgoingVariables } from './outgoing-variables.js';
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
export { objectDifference, stateDifference, type StateResourceDifference } from './state-diff.js';
export { parseState, type StateResource, type TerraformState } from './state-file.js';
export { stateResources, type StateResourceFact } from './state-resources.js';
export { readStateObjects, type StateObject } from './state-objects.js';
export type { StoreState } from './state-mirror.js';
export { findTerraform, type TerraformBinary } from './terraform-binary.js';
export type { TerraformRunOptions } from './terraform-command.js';
export { TerraformError, terraformFailureOf } from './terraform-error.js';
export type { ChangeSummary } from './terraform-event.js';
export { TerraformRunner } from './terraform-runner.js';
export { TerraformSlots, type ReleaseSlot, type SlotRequest } from './terraform-slots.js';
export { TerraformWorkspace, type ApplyOptions } from './terraform-workspace.js';
