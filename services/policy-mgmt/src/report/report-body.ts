import {
  apiVersionOf,
  CLUSTER,
  CLUSTER_NAME_LABEL,
  DOCUMENTS_ANNOTATION,
  OMITTED_RESULTS_ANNOTATION,
  PROJECT,
  REPORT_SCOPE_LABEL,
  type PolicyReport,
  type PolicyReportResult,
} from '@crate/api';
import type { CataloguedPolicy } from '@crate/policy-engine';
import { PACK_LABEL } from '../pack/publish-packs.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import { statusOf, type Assessment, type Counts, type Finding } from './assessment.js';
import { projectReportName } from './report-names.js';

/** Everything of a report that its writer states. */
export interface ReportDraft {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly scope: NonNullable<PolicyReport['scope']>;
  readonly summary: Counts;
  readonly results: readonly PolicyReportResult[];
}

export type RulesByName = ReadonlyMap<string, CataloguedPolicy>;

export const SOURCE = 'crate';
const NAMED = 10;

/** The report of a cluster: what is wrong, one by one, and what is right, rule by rule. Pure; times are put in elsewhere. */
export function clusterReport(
  { namespace, cluster }: ClusterKey,
  assessment: Assessment,
  rules: RulesByName,
): ReportDraft {
  const { findings, summary } = assessment;
  const passes = [...assessment.rules].filter(([, counts]) => statusOf(counts) === 'pass');
  const omitted = summary.fail + summary.warn + summary.error + summary.skip - findings.length;
  return {
    metadata: {
      namespace,
      name: cluster,
      labels: { [REPORT_SCOPE_LABEL]: 'cluster', [CLUSTER_NAME_LABEL]: cluster },
      annotations: annotations(assessment.documents, omitted),
    },
    scope: clusterReference({ namespace, cluster }),
    summary,
    results: [
      ...findings.map((finding) => resultOf(finding, rules)),
      ...passes.map(([policy, counts]) => passOf(policy, rules, { documents: String(counts.pass) })),
    ],
  };
}

/** What is known of each cluster of a Project. */
export interface AssessedCluster {
  readonly cluster: string;
  readonly documents: number;
  readonly rules: ReadonlyMap<string, Counts>;
  readonly summary: Counts;
}

/** The report of a Project: of each rule how many clusters break it, and which. Pure. */
export function projectReport(
  namespace: string,
  clusters: readonly AssessedCluster[],
  rules: RulesByName,
): ReportDraft {
  const policies = [...new Set(clusters.flatMap((each) => [...each.rules.keys()]))].sort();
  const results = policies.map((policy) => overClusters(namespace, policy, clusters, rules));
  const documents = clusters.reduce((sum, each) => sum + each.documents, 0);
  return {
    metadata: {
      namespace,
      name: projectReportName(namespace),
      labels: { [REPORT_SCOPE_LABEL]: 'project' },
      annotations: annotations(documents, 0),
    },
    scope: { apiVersion: apiVersionOf(PROJECT), kind: PROJECT.kind, name: namespace },
    summary: countsOf(results),
    results: results.sort(brokenFirst),
  };
}

export function clusterReference({ namespace, cluster }: ClusterKey): NonNullable<PolicyReport['scope']> {
  return { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, namespace, name: cluster };
}

function annotations(documents: number, omitted: number): Record<string, string> {
  return {
    [DOCUMENTS_ANNOTATION]: String(documents),
    ...(omitted > 0 ? { [OMITTED_RESULTS_ANNOTATION]: String(omitted) } : {}),
  };
}

function resultOf(finding: Finding, rules: RulesByName): PolicyReportResult {
  const { policy, severity, outcome, message, object, effect, waiver } = finding;
  const { field, remedy, level, stage, title, references } = finding;
  return {
    ...common(policy, rules),
    severity,
    result: outcome,
    scored: effect === 'deny',
    message,
    resources: [object],
    properties: {
      title,
      field,
      stage,
      level,
      effect,
      remedy,
      ...(references.length > 0 ? { references: references.join('; ') } : {}),
      ...(waiver === undefined ? {} : { waiver }),
    },
  };
}

/** In few words: most results are of this kind, and every report has all of them. */
function passOf(policy: string, rules: RulesByName, properties: Record<string, string>): PolicyReportResult {
  const spec = rules.get(policy)?.policy.spec;
  const { rule: _rule, ...named } = common(policy, rules);
  return { ...named, ...(spec ? { severity: spec.severity } : {}), result: 'pass', properties };
}

function overClusters(
  namespace: string,
  policy: string,
  clusters: readonly AssessedCluster[],
  rules: RulesByName,
): PolicyReportResult {
  const about = clusters.filter((each) => each.rules.has(policy));
  const broken = about.filter((each) => statusOf(each.rules.get(policy) as Counts) !== 'pass');
  if (broken.length === 0) return passOf(policy, rules, { clusters: String(about.length) });
  const worst = broken.map((each) => statusOf(each.rules.get(policy) as Counts)).sort(byOutcome)[0] ?? 'fail';
  const names = broken.map(({ cluster }) => cluster);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const verb = worst === 'skip' ? 'Waived' : worst === 'error' ? 'Cannot be judged' : 'Broken';
  const spec = rules.get(policy)?.policy.spec;
  return {
    ...common(policy, rules),
    ...(spec ? { severity: spec.severity } : {}),
    result: worst,
    scored: worst === 'fail',
    message: `${verb} in ${names.length} of ${about.length} clusters: ${names.slice(0, NAMED).join(', ')}${more}`,
    resources: names.slice(0, NAMED).map((cluster) => clusterReference({ namespace, cluster })),
    properties: {
      clusters: String(names.length),
      ...(spec ? { title: spec.title, level: spec.level, remedy: spec.remedy } : {}),
      ...(spec && spec.references.length > 0 ? { references: spec.references.join('; ') } : {}),
    },
  };
}

function common(
  policy: string,
  rules: RulesByName,
): Pick<PolicyReportResult, 'source' | 'policy' | 'rule' | 'category'> {
  const pack = rules.get(policy)?.policy.metadata.labels?.[PACK_LABEL];
  return { source: SOURCE, policy, rule: policy, category: pack ?? 'custom' };
}

function countsOf(results: readonly PolicyReportResult[]): Counts {
  const counts = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  for (const { result } of results) if (result) counts[result] += 1;
  return counts;
}

const ORDER = ['fail', 'error', 'warn', 'skip', 'pass'];

function byOutcome(left: string, right: string): number {
  return ORDER.indexOf(left) - ORDER.indexOf(right);
}

function brokenFirst(left: PolicyReportResult, right: PolicyReportResult): number {
  return byOutcome(left.result ?? '', right.result ?? '') || (left.policy < right.policy ? -1 : 1);
}
