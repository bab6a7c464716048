import { POLICY, POLICY_REPORT, POLICY_WAIVER, type PolicyReport } from '@crate/api';
import type { ServiceMethod } from '@crate/messaging';
import { RuleReviewer, type RememberedJudgements } from '@crate/policy-engine';
import type { ReconcilerOptions } from '@crate/reconcile';
import { TypedClient } from '@crate/resource-client';
import { LocalResourceApi, type ServedKind } from '@crate/resource-server';
import { serviceContext, type Foundation, type RegisteredReconciler } from '@crate/service-host';
import type { PolicyMgmtConfig } from '../config.js';
import { EvidenceGatherer } from '../export/evidence-gatherer.js';
import { reportSubresources } from '../export/report.subresources.js';
import { PolicyHistory } from '../history/policy-history.js';
import { PostgresHistoryRepository } from '../history/postgres-history.repository.js';
import { DocumentMemory } from '../memory/document-memory.js';
import type { DocumentRepository } from '../memory/document.repository.js';
import { DocumentSealing } from '../memory/document.sealing.js';
import { parseForgetRequest, parseRenewRequest } from '../memory/forget-request.js';
import { PostgresDocumentRepository } from '../memory/postgres-document.repository.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import { ClusterPass } from './cluster-pass.js';
import { PassRate } from './pass-rate.js';
import { EVERYTHING, POLICY_REPORT_RECONCILER, PolicyReportReconciler } from './policy-report.reconciler.js';
import { PostgresAssessmentRepository } from './postgres-assessment.repository.js';
import { ProjectPass } from './project-pass.js';
import { QuietLogger } from './quiet-logger.js';
import { ReportWriter } from './report-writer.js';
import { observeReports } from './report.metrics.js';
import type { RuleSource } from './rule-source.js';

/** The stages of a new cluster come one after the other: one pass for all that come within this time. */
const SETTLE_MS = 1_500;
/** Whoever edits rules mostly edits several. */
const RULES_GATHER_MS = 2_000;
/** A cluster with hundreds of manifests, at half speed. */
const TIMES: Partial<ReconcilerOptions> = { concurrency: 1, remoteDeadlineMs: 5 * 60_000, deadlineMs: 6 * 60_000 };

/** Everything that reports are made of. */
export interface ReportParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  readonly methods: Readonly<Record<string, ServiceMethod>>;
  readonly documents: DocumentRepository;
  /** Of what reviews were about. */
  readonly memory: Pick<DocumentMemory, 'note' | 'renew'>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

type Needed = Pick<
  Foundation,
  'database' | 'box' | 'store' | 'kinds' | 'queue' | 'logger' | 'metrics' | 'service' | 'clients'
>;

/** By what is judged again. */
interface JudgedBy {
  readonly rules: RuleSource;
  /** Shared with reviews: what they judged a moment ago is not judged again. */
  readonly remembered: RememberedJudgements;
}

/** Wires the memory of documents, their re-evaluation and reports into the service. */
export function reportParts(
  foundation: Needed,
  config: PolicyMgmtConfig['reports'],
  { rules, remembered }: JudgedBy,
): ReportParts {
  const { database, box, queue, logger, metrics } = foundation;
  const documents = new PostgresDocumentRepository(database, new DocumentSealing(box), logger);
  const assessments = new PostgresAssessmentRepository(database);
  const points = new PostgresHistoryRepository(database);
  const { judging, dropped } = observeReports(metrics, assessments, documents);
  const api = new LocalResourceApi({ store: foundation.store, kinds: foundation.kinds });
  const reports = new ReportWriter(reportsOf(api, foundation.service));
  const waivers = foundation.clients.for(POLICY_WAIVER);
  const gatherer = new EvidenceGatherer({ assessments, rules, reports: api, waivers });
  const history = new PolicyHistory(points);
  const common = { assessments, rules, reports, history };
  const reviewer = new RuleReviewer(new QuietLogger(logger), undefined, undefined, remembered);
  const onJudged = (tookMs: number): void => judging.observe(tookMs / 1000);
  const enqueue = (clusters: readonly ClusterKey[]): Promise<void> =>
    queue.enqueue(POLICY_REPORT_RECONCILER, clusters.map(keyOf), SETTLE_MS);
  const memory = new DocumentMemory({
    documents,
    logger,
    onChange: enqueue,
    onDrop: (count) => dropped.add(count),
  });
  const reconciler = new PolicyReportReconciler({
    documents,
    assessments,
    clusters: new ClusterPass({ ...common, documents, reviewer, everyMs: config.everyMs, onJudged }),
    projects: new ProjectPass(common),
    history: points,
    queue,
    rate: new PassRate({ perSecond: config.passesPerSecond }),
    passesPerSecond: config.passesPerSecond,
    keptMs: config.documentsKeptMs,
    historyMs: config.historyKeptMs,
  });
  return {
    kind: { definition: POLICY_REPORT, subresources: reportSubresources({ gatherer, history }) },
    reconciler: registered(reconciler, config.everyMs),
    methods: { forget: forgetMethod(memory), renew: renewMethod(memory) },
    documents,
    memory,
    start: () => queue.enqueue(POLICY_REPORT_RECONCILER, [EVERYTHING]),
    stop: () => memory.flush(),
  };
}

/** Written past the audit log: reports are observations, as the status of other kinds is, and nobody else may write them. */
function reportsOf(api: LocalResourceApi, service: string): TypedClient<PolicyReport> {
  return new TypedClient(api, POLICY_REPORT, serviceContext(service));
}

function registered(reconciler: PolicyReportReconciler, resyncMs: number): RegisteredReconciler {
  const keysOf = () => [EVERYTHING];
  return {
    reconciler,
    kind: POLICY_REPORT,
    options: { ...TIMES, resyncMs },
    watches: [POLICY, POLICY_WAIVER].map((kind) => ({ kind, keysOf, gatherMs: RULES_GATHER_MS })),
  };
}

function forgetMethod(memory: DocumentMemory): ServiceMethod {
  return {
    scope: 'policy:review',
    handle: async (body) => ({ clusters: (await memory.forget(parseForgetRequest(body))).length }),
  };
}

function renewMethod(memory: DocumentMemory): ServiceMethod {
  return {
    scope: 'policy:review',
    handle: (body) => {
      for (const key of parseRenewRequest(body)) memory.keep(key);
      return Promise.resolve({});
    },
  };
}

function keyOf({ namespace, cluster }: ClusterKey): { namespace: string; name: string } {
  return { namespace, name: cluster };
}
