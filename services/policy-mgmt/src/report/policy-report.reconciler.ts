import {
  Reconciler,
  gone,
  settled,
  waiting,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
  type WorkQueue,
} from '@crate/reconcile';
import { isKeyMissing } from '@crate/secrets';
import type { HistoryRepository } from '../history/history.repository.js';
import type { DocumentRepository } from '../memory/document.repository.js';
import { clustersOf } from '../memory/remembered-document.js';
import type { AssessmentRepository } from './assessment.repository.js';
import type { ClusterPass } from './cluster-pass.js';
import type { PassRate } from './pass-rate.js';
import type { ProjectPass } from './project-pass.js';
import { isProjectReport, projectReportName } from './report-names.js';

export const POLICY_REPORT_RECONCILER = 'policy-report';

/** The key of the pass that looks through everything: no report can have it. */
export const EVERYTHING: ReconcileKey = { namespace: '', name: 'everything' };

/** A change of several clusters is one pass over their Project. */
const PROJECT_DELAY_MS = 3_000;
/** All that there is becomes due this many at a time, as fast as it is worked off: what people have just changed comes in between. */
const DUE_TOGETHER = 100;

/** Longer than elsewhere: there may be thousands of reports. */
const KEY_LOOK_MS = 5 * 60_000;

export interface PolicyReportReconcilerOptions {
  readonly documents: DocumentRepository;
  readonly assessments: AssessmentRepository;
  readonly clusters: ClusterPass;
  readonly projects: ProjectPass;
  readonly history: Pick<HistoryRepository, 'removeOlder'>;
  readonly queue: Pick<WorkQueue, 'enqueue'>;
  readonly rate: Pick<PassRate, 'run'>;
  /** What `rate` lets begin in a second. */
  readonly passesPerSecond: number;
  /** What nobody asked about for so long is forgotten. */
  readonly keptMs: number;
  /** Points of history are kept for so long. */
  readonly historyMs: number;
  readonly now?: () => number;
}

/**
 * Keeps reports as rules and documents say: one pass for each cluster, one for each Project, and one that looks through everything now and
 * then. The queue sees to it that one replica at a time is at a report.
 */
export class PolicyReportReconciler extends Reconciler {
  override readonly name = POLICY_REPORT_RECONCILER;

  constructor(private readonly options: PolicyReportReconcilerOptions) {
    super();
  }

  override async reconcile(key: ReconcileKey, { remoteSignal }: ReconcileContext): Promise<Outcome> {
    if (key.namespace === '') return this.lookThroughEverything();
    return this.options.rate.run(remoteSignal, () => this.bringUpToDate(key, remoteSignal));
  }

  private async bringUpToDate(key: ReconcileKey, signal: AbortSignal): Promise<Outcome> {
    const { clusters, projects, queue } = this.options;
    if (isProjectReport(key.name)) return (await projects.run(key.namespace)) ? settled : gone;

    const cluster = { namespace: key.namespace, cluster: key.name };
    const result = await clusters.run(cluster, signal).catch(unlessKeyMissing);
    // A key that is put back tells nobody.
    if (!result) return waiting('EncryptionKeyMissing', KEY_LOOK_MS);
    const { hasDocuments, hasChanged, nextExpiryMs } = result;
    const project = { namespace: key.namespace, name: projectReportName(key.namespace) };
    if (hasChanged) await queue.enqueue(this.name, [project], PROJECT_DELAY_MS);
    if (!hasDocuments) return gone;
    return nextExpiryMs === undefined ? settled : waiting('WaiverExpires', nextExpiryMs - this.nowMs());
  }

  private async lookThroughEverything(): Promise<Outcome> {
    const { documents, assessments, history, queue, passesPerSecond, keptMs, historyMs } = this.options;
    await history.removeOlder(historyMs);
    const aged = await documents.removeUnseen(keptMs);
    // Also those of which only a report is left: a removal may have been cut short.
    const all = clustersOf([...aged, ...(await documents.clusters()), ...(await assessments.clusters())]);
    const keys = all.map(({ namespace, cluster }) => ({ namespace, name: cluster }));
    for (let at = 0; at < keys.length; at += DUE_TOGETHER) {
      const delayMs = (1_000 * at) / passesPerSecond;
      await queue.enqueue(this.name, keys.slice(at, at + DUE_TOGETHER), delayMs);
    }
    return settled;
  }

  private nowMs(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function unlessKeyMissing(error: unknown): undefined {
  if (!isKeyMissing(error)) throw error;
}
