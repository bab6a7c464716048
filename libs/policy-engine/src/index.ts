export { RuleCoverage, type CoverageGap, type CoverageReport, type SeenResult } from './explain/rule-coverage.js';
export { bindingsFor } from './document/bindings.js';
export { plannedResources, type PlannedResource } from './document/planned-resources.js';
export { statedEngine } from './document/stated-engine.js';
export { kindOf } from './document/subject-kind.js';
export { podsOf, type PodOfManifest } from './document/workloads.js';
export { explain, type Explanation, type RuleExplanation, type ShownReason } from './explain/explanation.js';
export { traceRule, type FailedItem, type RuleTrace, type ValidationTrace } from './explain/rule-trace.js';
export type { ShownValue } from './explain/shown-value.js';
export { importPolicies, type ImportedPolicy, type ImportOptions } from './import/import-policies.js';
export {
  exampleRequest,
  GOOD_CLUSTER,
  GOOD_CONFIG,
  GOOD_RKE2_CONFIG,
  stageOfExample,
} from './pack/example-documents.js';
export {
  parsePack,
  parsePolicySpec,
  readPacks,
  type PackedPolicy,
  type PolicyExample,
  type PolicyPack,
} from './pack/policy-pack.js';
export { effectOf, enforcementIn, type EnforcementInProject } from './review/enforcement.js';
export { fits, matches } from './review/match.js';
export { RuleReviewer, type DetailedReview, type RulesInForce } from './review/policy-reviewer.js';
export { RememberedJudgements } from './review/remembered-judgements.js';
export { ReviewQueue } from './review/review-queue.js';
export { mayWaive, type ActiveWaiver, type WaiverAuthority } from './review/waiver.js';
export { catalogued, withMetadataOf, type CataloguedPolicy } from './rule/catalogued-policy.js';
export { mistakesOf } from './rule/compiled-policy.js';
export { aPolicy, aRule, NAMED_DEMO } from './testing/a-policy.js';
