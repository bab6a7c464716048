import { createHash } from 'node:crypto';
import {
  OMITTED_RESULTS_ANNOTATION,
  POLICY_REPORT,
  REPORT_SCOPE_LABEL,
  type PolicyReport,
  type PolicyWaiver,
} from '@crate/api';
import { enforcementIn, fits, type CataloguedPolicy } from '@crate/policy-engine';
import type { CallContext, ResourceApi, TypedClient } from '@crate/resource-client';
import { canonicalJson } from '@crate/resource-server';
import { complianceOf, rulesByStatus, together } from '../compliance/compliance.js';
import { PACK_LABEL } from '../pack/publish-packs.js';
import type { AssessmentRepository, StoredAssessment } from '../report/assessment.repository.js';
import { statusOf, type Counts } from '../report/assessment.js';
import type { RulesByName } from '../report/report-body.js';
import { isProjectReport } from '../report/report-names.js';
import { rulesByName, type RuleSource } from '../report/rule-source.js';
import { factsOf } from '../waiver/waiver.facts.js';
import {
  evidenceResult,
  type Evidence,
  type EvidenceResult,
  type EvidenceRule,
  type EvidenceWaiver,
} from './evidence.js';
import type { SealedEvidence } from './evidence.js';

/** Findings in one export: it has to fit into a message between services, and a person has to read it. */
export const MOST_RESULTS = 5_000;
const REPORTS_AT_ONCE = 20;

export interface EvidenceGathererOptions {
  readonly assessments: Pick<AssessmentRepository, 'find' | 'ofProject'>;
  readonly rules: RuleSource;
  readonly reports: Pick<ResourceApi, 'list'>;
  readonly waivers: Pick<TypedClient<PolicyWaiver>, 'list'>;
  readonly now?: () => Date;
}

interface Results {
  readonly results: readonly EvidenceResult[];
  readonly omitted: number;
}

/** Brings together what a report stands on: results, rules as they are in force, waivers, and who asked when. */
export class EvidenceGatherer {
  constructor(private readonly options: EvidenceGathererOptions) {}

  async of(report: PolicyReport, context: CallContext): Promise<SealedEvidence> {
    const { rules: source, now = () => new Date() } = this.options;
    const { namespace: project = '', name } = report.metadata;
    const ofProject = isProjectReport(name);
    const assessed = await this.assessmentsOf(project, ofProject ? undefined : name);
    const judged = together(assessed.map(({ rules }) => rules));
    const rules = rulesByName(source, project);
    const found = ofProject ? await this.resultsOfProject(project, context) : resultsOf(report);
    const clusters = assessed.map(({ cluster }) => cluster);
    return sealed({
      scope: ofProject ? { kind: 'Project', project } : { kind: 'Cluster', project, cluster: name },
      generatedAt: now().toISOString(),
      generatedBy: context.caller.user,
      clusters: assessed.length,
      documents: assessed.reduce((sum, { documents }) => sum + documents, 0),
      judgedAt: oldestOf(assessed),
      rulesDigest: digestOf(assessed.map(({ rulesDigest }) => rulesDigest)),
      summary: rulesByStatus(judged),
      frameworks: complianceOf(judged, rules),
      rules: rulesOf(judged, rules, project),
      ...found,
      waivers: await this.waiversOf(project, clusters),
    });
  }

  private async assessmentsOf(namespace: string, cluster: string | undefined): Promise<readonly StoredAssessment[]> {
    const { assessments } = this.options;
    if (cluster === undefined) return assessments.ofProject(namespace);
    const one = await assessments.find({ namespace, cluster });
    return one ? [one] : [];
  }

  /** A few reports at a time: they are large. */
  private async resultsOfProject(namespace: string, context: CallContext): Promise<Results> {
    const results: EvidenceResult[] = [];
    let omitted = 0;
    let token: string | undefined;
    do {
      const labelSelector = `${REPORT_SCOPE_LABEL}=cluster`;
      const options = { namespace, labelSelector, limit: REPORTS_AT_ONCE, ...(token ? { continue: token } : {}) };
      const page = await this.options.reports.list(POLICY_REPORT, options, context);
      for (const report of page.items as readonly PolicyReport[]) {
        const found = resultsOf(report);
        const room = MOST_RESULTS - results.length;
        results.push(...found.results.slice(0, room));
        omitted += found.omitted + Math.max(0, found.results.length - room);
      }
      token = page.metadata.continue;
    } while (token);
    return { results, omitted };
  }

  private async waiversOf(namespace: string, clusters: readonly string[]): Promise<readonly EvidenceWaiver[]> {
    const waivers = await this.options.waivers.list({ namespace });
    const isAbout = ({ spec }: PolicyWaiver): boolean =>
      spec.clusters === undefined ||
      spec.clusters.some((pattern) => clusters.some((cluster) => fits(pattern, cluster)));
    return waivers.filter((waiver) => waiver.status?.approvedBy !== undefined && isAbout(waiver)).map(waiverOf);
  }
}

function resultsOf({ metadata, results = [] }: PolicyReport): Results {
  const place = { project: metadata.namespace ?? '', cluster: metadata.name };
  return {
    results: results.filter(({ result }) => result !== 'pass').map((result) => evidenceResult(place, result)),
    omitted: Number(metadata.annotations?.[OMITTED_RESULTS_ANNOTATION] ?? 0),
  };
}

function rulesOf(judged: ReadonlyMap<string, Counts>, rules: RulesByName, project: string): readonly EvidenceRule[] {
  return [...judged]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([policy, documents]) => {
      const rule = rules.get(policy);
      return rule ? [ruleOf(rule, documents, project)] : [];
    });
}

function ruleOf({ policy: { metadata, spec } }: CataloguedPolicy, documents: Counts, project: string): EvidenceRule {
  return {
    policy: metadata.name,
    title: spec.title,
    description: spec.description ?? '',
    level: spec.level,
    severity: spec.severity,
    enforcement: enforcementIn(spec, project).enforcement,
    category: metadata.labels?.[PACK_LABEL] ?? 'custom',
    generation: metadata.generation ?? 0,
    revision: hash(canonicalJson(spec)),
    remedy: spec.remedy,
    references: spec.references,
    status: statusOf(documents),
    documents,
  };
}

function waiverOf(waiver: PolicyWaiver): EvidenceWaiver {
  const { metadata, spec, status } = waiver;
  const { revoked } = factsOf(waiver);
  return {
    name: metadata.name,
    policies: spec.policies,
    clusters: spec.clusters ?? [],
    fields: spec.fields ?? [],
    reason: spec.reason,
    ticket: spec.ticket ?? '',
    requestedBy: status?.requestedBy ?? '',
    approvedBy: status?.approvedBy ?? '',
    approvedAt: status?.approvedAt ?? '',
    expiresAt: spec.expiresAt,
    ...(revoked ? { revoked } : {}),
    ...(metadata.deletionTimestamp ? { deletedAt: metadata.deletionTimestamp } : {}),
  };
}

/** Clusters of a Project are judged one after the other: one digest where they agree, one of all where a change is under way. */
function digestOf(digests: readonly string[]): string {
  const different = [...new Set(digests)].sort();
  return different.length === 1 ? (different[0] ?? '') : hash(different.join('\n'));
}

function oldestOf(assessed: readonly StoredAssessment[]): string {
  const times = assessed.map(({ assessedAt }) => assessedAt.getTime());
  return times.length === 0 ? '' : new Date(Math.min(...times)).toISOString();
}

function sealed(evidence: Evidence): SealedEvidence {
  return { ...evidence, digest: hash(canonicalJson(evidence)) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
