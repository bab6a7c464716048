import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { RuleReviewer } from '@crate/policy-engine';
import type { DocumentRepository } from '../memory/document.repository.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import { AssessmentBuilder, type Assessment } from './assessment.js';
import type { RulesOfProject } from './rule-source.js';

/** Longest that judging goes on before it rests for as long: reviews, which somebody waits for, get the other half. */
const SLICE_MS = 20;

/**
 * Judges what is remembered of a cluster, one document at a time, and gives way in between. Throws Unavailable (`EncryptionKeyMissing`)
 * while one of them cannot be read.
 */
export async function judgeCluster(
  cluster: ClusterKey,
  rules: RulesOfProject,
  { documents, reviewer }: { readonly documents: DocumentRepository; readonly reviewer: RuleReviewer },
  signal: AbortSignal,
): Promise<Assessment> {
  const builder = new AssessmentBuilder();
  const pace = new Pace();
  for await (const document of documents.open({ cluster, isWhole: true })) {
    signal.throwIfAborted();
    const { results } = pace.time(() => reviewer.reviewInDetail(document.request, rules.byStage[document.key.stage]));
    builder.add(document, results);
    await pace.giveWay();
  }
  return builder.finish();
}

/** Lets work on documents take half of the time at most. */
export class Pace {
  private workedMs = 0;

  constructor(private readonly sliceMs: number = SLICE_MS) {}

  time<T>(work: () => T): T {
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      this.workedMs += performance.now() - startedAt;
    }
  }

  async giveWay(): Promise<void> {
    if (this.workedMs < this.sliceMs) return nextTurn();
    const restMs = this.workedMs;
    this.workedMs = 0;
    await delay(restMs);
  }
}
