import type { RuleReviewer } from '@crate/policy-engine';
import type { DocumentRepository } from '../memory/document.repository.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import type { PolicyHistory } from '../history/policy-history.js';
import type { Assessment } from './assessment.js';
import type { AssessmentRepository, StoredAssessment } from './assessment.repository.js';
import { judgeCluster } from './judge-cluster.js';
import { clusterReport } from './report-body.js';
import type { ReportWriter } from './report-writer.js';
import { rulesByName, rulesOfProject, type RulesOfProject, type RuleSource } from './rule-source.js';

export interface ClusterPassOptions {
  readonly documents: DocumentRepository;
  readonly assessments: AssessmentRepository;
  readonly rules: RuleSource;
  readonly reviewer: RuleReviewer;
  readonly reports: ReportWriter;
  readonly history: PolicyHistory;
  /** What has not changed is judged again after this time. */
  readonly everyMs: number;
  /** Told how long judging took. */
  readonly onJudged?: (tookMs: number) => void;
  readonly now?: () => number;
}

/** What a pass over a cluster found. */
export interface ClusterPassResult {
  readonly hasDocuments: boolean;
  /** Its numbers are others than before. */
  readonly hasChanged: boolean;
  /** When a waiver in its Project expires before it is judged again anyway. */
  readonly nextExpiryMs?: number;
}

/**
 * Brings the report of a cluster up to date. Judges only when rules, waivers or documents changed, or the last time is long ago. Throws
 * Unavailable (`EncryptionKeyMissing`), and leaves the report as it is, while a document cannot be read: without it, violations would be gone.
 */
export class ClusterPass {
  constructor(private readonly options: ClusterPassOptions) {}

  async run(cluster: ClusterKey, signal: AbortSignal): Promise<ClusterPassResult> {
    const { documents, assessments, rules } = this.options;
    await rules.ensureFresh();
    const documentsDigest = await documents.digestOf(cluster);
    const before = await assessments.find(cluster);
    if (documentsDigest === undefined) return this.remove(cluster, before);

    const nowMs = this.nowMs();
    const current = rulesOfProject(rules, cluster.namespace, nowMs);
    if (before && this.isUpToDate(before, current, documentsDigest)) return found(false, current, nowMs, this.options);

    const startedAt = performance.now();
    const assessment = await judgeCluster(cluster, current, this.options, signal);
    // Those that were there may not have opened.
    if (assessment.documents === 0) return this.remove(cluster, before);
    this.options.onJudged?.(performance.now() - startedAt);
    const hasChanged = await this.store(cluster, assessment, { current, documentsDigest, before });
    return found(hasChanged, current, nowMs, this.options);
  }

  private isUpToDate(before: StoredAssessment, { digest }: RulesOfProject, documentsDigest: string): boolean {
    const isSame = before.rulesDigest === digest && before.documentsDigest === documentsDigest;
    // Passes come with some jitter: one that is a little early counts as in time.
    return isSame && this.nowMs() - before.assessedAt.getTime() < 0.8 * this.options.everyMs;
  }

  private async store(
    cluster: ClusterKey,
    assessment: Assessment,
    {
      current: { digest: rulesDigest },
      documentsDigest,
      before,
    }: {
      readonly current: RulesOfProject;
      readonly documentsDigest: string;
      readonly before: StoredAssessment | undefined;
    },
  ): Promise<boolean> {
    const { assessments, reports, history, rules: source } = this.options;
    const rules = rulesByName(source, cluster.namespace);
    const isNew = before === undefined;
    const wasWritten = await reports.write(clusterReport(cluster, assessment, rules), isNew);
    await history.note(cluster, [assessment.rules], rules, isNew);
    // Last: a pass that is cut short before is repeated.
    const assessedAt = new Date(this.nowMs());
    await assessments.save({ ...cluster, ...assessment, rulesDigest, documentsDigest, assessedAt });
    return wasWritten || isNew;
  }

  private async remove(cluster: ClusterKey, before: StoredAssessment | undefined): Promise<ClusterPassResult> {
    const { reports, history, assessments } = this.options;
    await reports.remove(cluster.namespace, cluster.cluster);
    await history.remove(cluster);
    await assessments.remove(cluster);
    return { hasDocuments: false, hasChanged: before !== undefined };
  }

  private nowMs(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function found(
  hasChanged: boolean,
  { nextExpiryMs }: RulesOfProject,
  nowMs: number,
  { everyMs }: ClusterPassOptions,
): ClusterPassResult {
  const isSoon = nextExpiryMs !== undefined && nextExpiryMs - nowMs < everyMs;
  return { hasDocuments: true, hasChanged, ...(isSoon ? { nextExpiryMs } : {}) };
}
