import type { PolicyReportOutcome, PolicyReportResult } from '@crate/api';
import type { FrameworkStanding } from '../compliance/compliance.js';
import type { Counts } from '../report/assessment.js';

/** A rule in force, and how it stands in the scope. */
export interface EvidenceRule {
  readonly policy: string;
  readonly title: string;
  readonly description: string;
  readonly level: string;
  readonly severity: string;
  readonly enforcement: string;
  /** Pack that it came with. */
  readonly category: string;
  /** Which version of it: moves with every change. */
  readonly generation: number;
  /** Of its spec, SHA-256. */
  readonly revision: string;
  readonly remedy: string;
  readonly references: readonly string[];
  readonly status: PolicyReportOutcome;
  /** Documents, by what the rule came to with them. */
  readonly documents: Counts;
}

/** One finding in one document. */
export interface EvidenceResult {
  readonly project: string;
  readonly cluster: string;
  readonly policy: string;
  readonly title: string;
  readonly result: PolicyReportOutcome;
  readonly level: string;
  readonly severity: string;
  readonly effect: string;
  readonly stage: string;
  /** Such as `apps/v1/Deployment kube-system/coredns`. */
  readonly resource: string;
  readonly field: string;
  readonly message: string;
  readonly remedy: string;
  readonly references: string;
  readonly waiver: string;
  /** Since when it is so. */
  readonly since: string;
}

/** A waiver that covers, or may cover, something in the scope. */
export interface EvidenceWaiver {
  readonly name: string;
  readonly policies: readonly string[];
  readonly clusters: readonly string[];
  readonly fields: readonly string[];
  readonly reason: string;
  readonly ticket: string;
  readonly requestedBy: string;
  readonly approvedBy: string;
  readonly approvedAt: string;
  readonly expiresAt: string;
  /** Present once somebody took it back: it covers nothing since. */
  readonly revoked?: { readonly by: string; readonly at: string };
  /** Present while it is being deleted: it covers nothing since. */
  readonly deletedAt?: string;
}

/** Everything that a report is exported from, whatever the format. */
export interface Evidence {
  readonly scope: { readonly kind: string; readonly project: string; readonly cluster?: string };
  readonly generatedAt: string;
  readonly generatedBy: string;
  readonly clusters: number;
  readonly documents: number;
  /** When what is told was last judged: the cluster that it is longest ago for. */
  readonly judgedAt: string;
  /** Of all rules and waivers that were judged by. */
  readonly rulesDigest: string;
  /** Rules, by how they stand. */
  readonly summary: Counts;
  readonly frameworks: readonly FrameworkStanding[];
  readonly rules: readonly EvidenceRule[];
  readonly results: readonly EvidenceResult[];
  /** Findings that there was no room for. */
  readonly omitted: number;
  readonly waivers: readonly EvidenceWaiver[];
}

/** With what it can be signed and compared by. */
export interface SealedEvidence extends Evidence {
  /** SHA-256 of the rest as canonical JSON, in hex. */
  readonly digest: string;
}

/** What a document of it is headed. */
export function evidenceTitle({ scope: { kind, project, cluster } }: Pick<Evidence, 'scope'>): string {
  return `Policy evidence: ${kind} ${cluster === undefined ? project : `${project}/${cluster}`}`;
}

/** How a waiver ended before its time; empty for one that did not. */
export function waiverEnd({ revoked, deletedAt }: Pick<EvidenceWaiver, 'revoked' | 'deletedAt'>): string {
  if (revoked?.by === '') return 'Revoked, it cannot be read by whom';
  if (revoked) return `Revoked by ${revoked.by} ${revoked.at}`;
  return deletedAt === undefined ? '' : `Deleted ${deletedAt}`;
}

/** A result of a cluster's report in words. */
export function evidenceResult(
  { project, cluster }: { readonly project: string; readonly cluster: string },
  result: PolicyReportResult,
): EvidenceResult {
  const { properties = {}, resources = [], timestamp } = result;
  const [object] = resources;
  const of = (name: string): string => properties[name] ?? '';
  return {
    project,
    cluster,
    policy: result.policy,
    title: of('title'),
    result: result.result ?? 'fail',
    level: of('level'),
    severity: result.severity ?? '',
    effect: of('effect'),
    stage: of('stage'),
    resource: object ? `${object.apiVersion}/${object.kind} ${nameOf(object)}` : '',
    field: of('field'),
    message: result.message ?? '',
    remedy: of('remedy'),
    references: of('references'),
    waiver: of('waiver'),
    since: timestamp ? new Date(timestamp.seconds * 1000).toISOString() : '',
  };
}

function nameOf({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}): string {
  return namespace === undefined ? (name ?? '') : `${namespace}/${name}`;
}
