import type { PolicyLevel, PolicyOperation, PolicySeverity, PolicyStage } from './policy-terms.js';

/** Names a kind. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What a document is about. */
export interface PolicySubject {
  /** The Project. */
  readonly namespace: string;
  /** Of the Cluster, Infrastructure or KubernetesCluster; of a manifest its own. */
  readonly name: string;
  /** Absent: what the document itself says. */
  readonly kind?: GroupVersionKind;
  /** The Cluster it belongs to; absent: `name`. */
  readonly cluster?: string;
  readonly provider?: string;
  readonly engine?: string;
  /** Labels of the Cluster. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Asks policy-mgmt whether a document may be acted on. */
export interface PolicyReviewRequest {
  readonly stage: PolicyStage;
  /** Absent: UPDATE, which is how what is there already is judged. */
  readonly operation?: PolicyOperation;
  /** ClusterSpec: the Cluster object. TerraformPlan: `terraform show -json` of the plan. EngineConfig: the parsed config. Manifest: the object. */
  readonly document: unknown;
  /** What is there now; absent: nothing. */
  readonly oldDocument?: unknown;
  readonly subject: PolicySubject;
  readonly userInfo?: { readonly username: string; readonly groups: readonly string[] };
  readonly dryRun?: boolean;
  /** True for what is there, or is going to be once all that is asked about with it is allowed: it is remembered for reports, and judged again when rules change. */
  readonly remember?: boolean;
}

/** Documents whose owner is gone; what is absent may be anything. */
export interface PolicyForgetRequest {
  /** The Project. */
  readonly namespace: string;
  /** Absent: all of the Project. */
  readonly cluster?: string;
  readonly stage?: PolicyStage;
  /** Such as `Deployment.apps`, or `ConfigMap` of the core group. */
  readonly kind?: string;
  /** Of a manifest with its namespace, such as `kube-system/coredns`. */
  readonly name?: string;
}

/** Of one document all that a `PolicyForgetRequest` may say. */
export type PolicyDocumentName = Required<PolicyForgetRequest>;

/** What a violation leads to: `record` is in reports alone, because of the rule's enforcement or of a waiver. */
export type PolicyEffect = 'deny' | 'warn' | 'inform' | 'record';

/** One rule that a document does not satisfy. */
export interface PolicyViolation {
  readonly policy: string;
  readonly level: PolicyLevel;
  readonly severity: PolicySeverity;
  readonly effect: PolicyEffect;
  readonly title: string;
  readonly field: string;
  readonly message: string;
  readonly remedy: string;
  readonly references: readonly string[];
  /** Name of the PolicyWaiver that covers it. */
  readonly waiver?: string;
}

/** What a rule that matched came to; `skip`: a condition of it was not met; `error`: it could not be evaluated, which counts as violated. */
export interface PolicyRuleResult {
  readonly policy: string;
  readonly level: PolicyLevel;
  readonly severity: PolicySeverity;
  readonly title: string;
  readonly result: 'pass' | 'fail' | 'skip' | 'error';
  readonly violations: readonly PolicyViolation[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** `allowed` is false only when a violation's effect is `deny`. Violations are sorted by level, then policy, then field. */
export interface PolicyReviewResponse {
  readonly allowed: boolean;
  /** Those that somebody is to be told of. */
  readonly violations: readonly PolicyViolation[];
  /** Those that are waived or only tried out; absent: none. */
  readonly recorded?: readonly PolicyViolation[];
  /** Nobody judged: there was no answer, and whoever asked is set to go on without one. Never sent by policy-mgmt. */
  readonly unanswered?: true;
}
