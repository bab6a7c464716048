export {
  formatApiVersion,
  parseApiVersion,
  type KubeList,
  type KubeObject,
  type KubeObjectInput,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  type Resource,
  type WatchEvent,
} from './object/object.js';
export { isJsonObject, withoutUndefined, type Defined, type JsonObject } from './object/json.js';
export { LogReach, type LogPlace } from './object/log-reach.js';
export { nearestName } from './object/nearest-name.js';
export { conditionMessage, factOf } from './object/condition-facts.js';
export { storableText } from './object/storable-text.js';
export {
  conditionFalse,
  conditionTrue,
  conditionUnknown,
  findCondition,
  isConditionTrue,
  mergeConditions,
  toTimestamp,
  type Condition,
  type ConditionFact,
} from './object/conditions.js';
export {
  apiVersionOf,
  defineKind,
  KUBECONFIG_SECONDS,
  KUBECONFIG_SUBRESOURCE,
  LOGS_SUBRESOURCE,
  PLAN_SUBRESOURCE,
  SCALE_SUBRESOURCE,
  type KindDefinition,
  type ObjectOf,
  type PrinterColumn,
  type ResourceVerb,
  type SubresourceContent,
  type SubresourceDefinition,
  type SubresourceParameter,
} from './kind/kind.js';
export { cidrsOverlap, dnsLabel, parseCidr, type Progress } from './kind/fields.js';
export {
  CLOUD_GROUP,
  CLUSTER_ENGINE_LABEL,
  CLUSTER_GROUP,
  CLUSTER_NAME_LABEL,
  CLUSTER_PROVIDER_LABEL,
  CLUSTER_UID_LABEL,
  LIFECYCLE_GROUP,
  POLICY_GROUP,
  V1ALPHA1,
} from './kind/groups.js';
export { ADD_ON, EARLIER_VERSIONS_KEPT, type AddOn, type AddOnContent, type Manifest } from './lifecycle/add-on.js';
export {
  CLUSTER,
  CLUSTER_CONDITIONS,
  type Cluster,
  type ClusterSpec,
  type ClusterStatus,
  type PhaseProgress,
} from './lifecycle/cluster.js';
export {
  CLUSTER_CLASS,
  CLUSTER_CLASS_REVISION,
  type ClassContent,
  type ClusterClass,
  type ClusterClassRevision,
  type FieldChange,
} from './lifecycle/cluster-class.js';
export { type Failure } from './lifecycle/failure.js';
export {
  FLEET_HEALTHS,
  FLEET_LIMIT,
  FLEET_PATH,
  FLEET_SORTS,
  type FleetCause,
  type FleetCount,
  type FleetEvent,
  type FleetGroup,
  type FleetHealth,
  type FleetPage,
  type FleetProgress,
  type FleetRollup,
  type FleetRow,
  type FleetSort,
} from './lifecycle/fleet.js';
export {
  PLATFORM_STATUS_PATH,
  platformStatusSchema,
  platformSummarySchema,
  type PlatformHealth,
  type PlatformProblem,
  type PlatformService,
  type PlatformStatus,
  type PlatformSummary,
  type PostgresServerStatus,
  type ServiceState,
} from './lifecycle/platform-status.js';
export { readServiceReport } from './lifecycle/read-service-report.js';
export {
  REPLICA_BEAT_MS,
  REPLICA_SILENT_AFTER_MS,
  serviceReportSchema,
  type CertificateReport,
  type DatabaseReport,
  type LeaseReport,
  type QueueReport,
  type ReplicaReport,
  type ReplicaState,
  type RunReport,
  type ServiceReport,
} from './lifecycle/service-report.js';
export { IMPACTS, isWithin, type Impact } from './lifecycle/impact.js';
export { highestImpact, impactOfChange, type FieldImpact } from './lifecycle/cluster-impact.js';
export {
  APPROVED_BY_ANNOTATION,
  isApproved,
  PLAN,
  planApprovalRequest,
  type Consequences,
  type Plan,
  type PlanBasis,
  type PlanPhase,
  type PlanStatus,
} from './lifecycle/plan.js';
export { consequenceLines, consequenceSummary, consequenceWarnings } from './lifecycle/consequences-text.js';
export {
  COMPONENT,
  COMPONENT_CHANNELS,
  COMPONENTS,
  ROLLOUT_STEPS,
  WEEKDAYS,
  type Component,
  type ComponentName,
  type ComponentRollout,
  type ComponentSpec,
  type ComponentStatus,
  type MaintenanceWindow,
} from './lifecycle/component.js';
export {
  UPGRADE_PLAN_PATH,
  upgradePlanSchema,
  type UpgradePlan,
  type UpgradePlanStep,
  type UpgradeProblem,
} from './lifecycle/upgrade-plan.js';
export {
  releaseIndexSchema,
  type IssuedReleaseIndex,
  type Release,
  type ReleaseIndex,
} from './lifecycle/release-index.js';
export { NODE_POOL, NODE_POOL_LABEL, type NodePool } from './lifecycle/node-pool.js';
export type { LoadBalancerPort } from './lifecycle/load-balancer-ports.js';
export { isExisting, madeSpecOf, type MadeClusterSpec } from './lifecycle/existing-cluster.js';
export {
  EXISTING,
  isSupportedVersion,
  MOST_MACHINES,
  SUPPORTED_KUBERNETES_VERSIONS,
  type Engine,
} from './lifecycle/kubernetes-versions.js';
export { upgradeVersions } from './lifecycle/upgrade-versions.js';
export { API_KEY, apiKeyTokenRequest, parseLifetime, type ApiKey } from './lifecycle/api-key.js';
export {
  NOTIFICATION_CHANNEL,
  NOTIFICATION_TYPES,
  type NotificationChannel,
  type NotificationSeverity,
  type NotificationType,
} from './lifecycle/notification-channel.js';
export {
  NOTIFICATION_STATES,
  notificationDeliveries,
  notificationTest,
  type NotificationAttempt,
  type NotificationDeliveries,
  type NotificationDelivery,
  type NotificationState,
  type NotificationTest,
} from './lifecycle/notification-delivery.js';
export {
  AUDIT_EVENT,
  AUDIT_EVENT_SELECTORS,
  PLATFORM_NAMESPACE,
  type AuditEvent,
  type VerifiedLog,
} from './lifecycle/audit-event.js';
export {
  AUDIT_PAGE_ROWS,
  auditReadRequest,
  auditVerifyRequest,
  type AuditField,
  type AuditReadRequest,
} from './lifecycle/audit-read.js';
export { isAllowed } from './lifecycle/allow-list.js';
export { PROJECT, PROJECT_ROLES, type Project, type ProjectRole, type ProjectStatus } from './lifecycle/project.js';
export { isTemporaryAccessKey } from './cloud/access-key.js';
export { CLOUD_ACCOUNT, type CloudAccount } from './cloud/cloud-account.js';
export type { CloudProviderName } from './cloud/cloud-provider.js';
export { stateDiffText } from './cloud/state-diff-text.js';
export { stateDiffRequest, stateDiffSchema, stateRestoreRequest, type StateDiff } from './cloud/state-diff.js';
export {
  STATE_VERSION,
  stateLockRequest,
  statePushRequest,
  stateUnlockRequest,
  type StateVersion,
} from './cloud/state-version.js';
export { ENGINE_STATE_VERSION, type EngineStateVersion } from './cluster/engine-state-version.js';
export {
  SWEEP_DECISIONS,
  sweepReport,
  type SweepDecision,
  type SweepFinding,
  type SweepReason,
  type SweepReport,
  type SweepSpec,
  type SweepStatus,
} from './cloud/sweep.js';
export { architectureOf, vcpusOf, type Architecture } from './cloud/machine-types.js';
export { mostZonesOf } from './cloud/zones.js';
export {
  INFRASTRUCTURE,
  MACHINE_STOPPED,
  type ApprovedPlanStatus,
  type ApprovedStack,
  type Infrastructure,
  type InfrastructureOutputs,
  type InfrastructureSpec,
  type InfrastructureStatus,
  type Machine,
  type StateLock,
} from './cloud/infrastructure.js';
export { type InfrastructureResource, type InfrastructureResources } from './cloud/infrastructure-resources.js';
export { type AbandonedResource, type Blocker, type DeletionForced, type DeletionStatus } from './cloud/deletion.js';
export {
  CLUSTER_DELETION_ANNOTATION,
  deletionForcedOf,
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  KEEP_VOLUMES_ANNOTATION,
  KEPT_VOLUMES_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
} from './cloud/deletion-force.js';
export { CONFIRM_ANNOTATION } from './lifecycle/deletion-consent.js';
export { isPaused, PART_PAUSED, PAUSED, PAUSED_ANNOTATION, pausedFact } from './lifecycle/pause.js';
export {
  DELETION_RECORD,
  type DeletionRecord,
  type DeletionRecordSpec,
  type DeletionRecordStatus,
  type WatchedResource,
} from './cloud/deletion-record.js';
export {
  CHECK_DRIFT_ANNOTATION,
  driftReportSchema,
  parseDriftDecision,
  PLAN_HELPS,
  RELEASE_HELD,
  RESOLVE_DRIFT_ANNOTATION,
  RUN_HELD,
  type AttributeDrift,
  type DriftDecision,
  type DriftFailure,
  type DriftPolicy,
  type DriftReport,
  type DriftSpec,
  type DriftStatus,
  type KeptAttribute,
  type ResourceDrift,
} from './cloud/drift.js';
export { driftSummary, driftText } from './cloud/drift-text.js';
export {
  ADD_ON_INSTALLATION,
  type AddOnInstallation,
  type AddOnInstallationStatus,
  type InventoryEntry,
} from './cluster/add-on-installation.js';
export {
  KUBERNETES_CLUSTER,
  takesAddOns,
  type ClusterNode,
  type KubernetesCluster,
  type KubernetesClusterSpec,
  type KubernetesClusterStatus,
} from './cluster/kubernetes-cluster.js';
export {
  POLICY_STAGES,
  policyOperation,
  policyStage,
  type PolicyEnforcement,
  type PolicyLevel,
  type PolicyOperation,
  type PolicySeverity,
  type PolicyStage,
  type PolicyWaivableBy,
} from './policy/policy-terms.js';
export { POLICY, policyMatch, policySpec, type Policy, type PolicySpec } from './policy/policy.js';
export {
  policyEvaluationRequest,
  type PolicyEvaluation,
  type PolicyEvaluationRequest,
  type PolicyExampleDocument,
  type PolicyExamples,
} from './policy/policy-evaluation.js';
export {
  type GroupVersionKind,
  type PolicyEffect,
  type PolicyDocumentName,
  type PolicyForgetRequest,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
  type PolicyRuleResult,
  type PolicySubject,
  type PolicyViolation,
} from './policy/policy-review.js';
export {
  DOCUMENTS_ANNOTATION,
  EXPORT_FORMATS,
  OMITTED_RESULTS_ANNOTATION,
  POLICY_REPORT,
  REPORT_SCOPE_LABEL,
  type ExportFormat,
  type PolicyReport,
  type PolicyReportOutcome,
  type PolicyReportResult,
  type PolicyReportSummary,
} from './policy/policy-report.js';
export {
  POLICY_IMPACT_REVIEW,
  type PolicyConsequence,
  type PolicyImpact,
  type PolicyImpactReview,
} from './policy/policy-impact.js';
export {
  POLICY_WAIVER,
  waiverDecisionRequest,
  type PolicyWaiver,
  type PolicyWaiverSpec,
  type PolicyWaiverStatus,
} from './policy/policy-waiver.js';
export { labelSelector, type LabelSelector } from './kind/label-selector.js';
export { EVENT, type EventObject } from './event/event.js';
export { EVENT_V1, eventV1Of, storedEventFields, type EventV1Object } from './event/event-v1.js';
export { type ObjectReference } from './event/object-reference.js';
export { runPlanSchema, type PlanCounts, type PlannedResource, type RunPlan } from './cloud/plan.js';
export {
  PLACEHOLDER_SSH_KEY,
  planPreviewRequest,
  type PlanPreview,
  type PlanPreviewRequest,
} from './cloud/plan-preview.js';
export { planText, resourceText } from './cloud/plan-text.js';
