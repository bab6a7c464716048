import type { PolicyReport, PolicyReportOutcome, PolicyReportResult, PolicySeverity } from '@crate/api';

/** One thing that a rule objects to in one cluster. */
export interface Violation {
  readonly cluster: string;
  readonly policy: string;
  readonly title: string;
  readonly outcome: Exclude<PolicyReportOutcome, 'pass'>;
  readonly severity: PolicySeverity;
  readonly message: string;
  /** Empty: the whole document; absent: it is told of the cluster as a whole. */
  readonly field: string | undefined;
  readonly remedy: string;
  readonly references: readonly string[];
  readonly waiver: string | undefined;
  /** ISO; absent: nobody knows. */
  readonly since: string | undefined;
}

/** Violations of one rule, or of one cluster. */
export interface ViolationGroup {
  readonly key: string;
  readonly title: string;
  /** The worst of them. */
  readonly worst: Violation;
  readonly violations: readonly Violation[];
}

/** What is wanted; absent is any. */
export interface ViolationFilter {
  readonly q?: string | undefined;
  readonly result?: string | undefined;
  readonly severity?: string | undefined;
  /** Name of a rule, as a link to it. */
  readonly rule?: string | undefined;
  readonly cluster?: string | undefined;
}

const OMITTED = 'policy.crate.dev/omitted-results';

/** The worst first. */
export const OUTCOMES = ['fail', 'error', 'warn', 'skip'] as const;
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** Everything that reports of clusters object to; of a report of a Project, each cluster that it names for a rule. Pure. */
export function violationsOf(reports: readonly PolicyReport[]): readonly Violation[] {
  return reports.flatMap(({ scope, metadata, results = [] }) =>
    results.flatMap((result) => {
      if (scope?.kind !== 'Project') return violationOf(scope?.name ?? metadata.name, result) ?? [];
      const named = (result.resources ?? []).map(({ name = '' }) => violationOf(name, result));
      return named.flatMap((each) => (each ? { ...each, field: undefined } : []));
    }),
  );
}

/** How many findings reports had no room for. Pure. */
export function omittedOf(reports: readonly PolicyReport[]): number {
  return reports.reduce((sum, { metadata }) => sum + Number(metadata.annotations?.[OMITTED] ?? 0), 0);
}

/** Those that fit. Pure. */
export function filtered(violations: readonly Violation[], filter: ViolationFilter): readonly Violation[] {
  const words = (filter.q ?? '').toLowerCase();
  return violations.filter(
    ({ outcome, severity, policy, cluster, title, message }) =>
      fits(filter.result, outcome) &&
      fits(filter.severity, severity) &&
      fits(filter.rule, policy) &&
      fits(filter.cluster, cluster) &&
      `${policy} ${title} ${cluster} ${message}`.toLowerCase().includes(words),
  );
}

/** By rule or by cluster, the worst group first. Pure. */
export function grouped(violations: readonly Violation[], by: 'rule' | 'cluster'): readonly ViolationGroup[] {
  const groups = new Map<string, Violation[]>();
  for (const violation of violations) {
    const key = by === 'rule' ? violation.policy : violation.cluster;
    groups.set(key, [...(groups.get(key) ?? []), violation]);
  }
  return [...groups]
    .map(([key, all]): ViolationGroup => {
      const sorted = all.sort(byWeight);
      const [worst] = sorted as [Violation, ...Violation[]];
      return { key, title: by === 'rule' ? worst.title : key, worst, violations: sorted };
    })
    .sort((left, right) => byWeight(left.worst, right.worst) || left.key.localeCompare(right.key));
}

function violationOf(cluster: string, result: PolicyReportResult): Violation | undefined {
  const { result: outcome = 'pass', policy, severity = 'medium', message = '', properties = {}, timestamp } = result;
  if (outcome === 'pass') return undefined;
  const { title = policy, field = '', remedy = '', references = '', waiver } = properties;
  const since = timestamp === undefined ? undefined : new Date(timestamp.seconds * 1000).toISOString();
  const named = references === '' ? [] : references.split('; ');
  return { cluster, policy, title, outcome, severity, message, field, remedy, references: named, waiver, since };
}

function fits(wanted: string | undefined, is: string): boolean {
  return wanted === undefined || wanted === is;
}

function byWeight(left: Violation, right: Violation): number {
  return (
    OUTCOMES.indexOf(left.outcome) - OUTCOMES.indexOf(right.outcome) ||
    SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity)
  );
}
