import type { ConditionFact, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import { policyCompliance, policyComplianceUnknown, WAIVED } from './policy-compliance.js';
import type { PolicyReviewContext, PolicyReviewer } from './policy-reviewer.js';

/** Something that is there already, such as the configuration that a cluster runs with. */
export interface StandingDocument {
  /** Whose it is. */
  readonly key: string;
  /** Tells what it was from what it is. */
  readonly version: string;
  /** Made only when it is to be judged. */
  readonly requests: () => Promise<readonly PolicyReviewRequest[]> | readonly PolicyReviewRequest[];
  /** One verdict of those on its parts; absent: what any of them objects to. */
  readonly merge?: (verdicts: readonly PolicyReviewResponse[]) => PolicyReviewResponse;
}

export interface StandingReviewsOptions {
  /** A verdict that allows, and rests on no waiver, is good for so long. */
  readonly everyMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds of a clock that nobody sets: put back, it would keep an old verdict good. */
  readonly now?: () => number;
}

/** The last verdict. */
interface Known {
  readonly version: string;
  readonly atMs: number;
  /** Neither denied nor let through by a waiver alone: nothing of it changes before something else does. */
  readonly isFirm: boolean;
}

/** Far more than one process looks after; the oldest is judged once more. */
const MOST_KNOWN = 20_000;
/** Intervals without an answer after which nothing can be said any more. */
const PATIENCE = 2;
/** How long an answer is waited for: the pass that asks has more to do. */
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Judges again what stands, because rules change: at least once in an interval, and in each pass while it breaks one, or would without a
 * waiver. It holds nothing up: what stands is left standing, and a verdict that cannot be had now is asked for in the next pass.
 */
export class StandingReviews {
  private readonly known = new Map<string, Known>();
  private readonly now: () => number;
  private readonly startedMs: number;

  constructor(
    private readonly policies: PolicyReviewer,
    private readonly options: StandingReviewsOptions,
  ) {
    this.now = options.now ?? (() => performance.now());
    this.startedMs = this.now();
  }

  /** What there is to say anew; undefined when what was said before still holds. */
  async judge(document: StandingDocument, context: PolicyReviewContext): Promise<ConditionFact | undefined> {
    const { key, version, merge = mergedReview } = document;
    if (this.isFresh(key, version)) return undefined;
    const verdicts = await this.ask(document, context);
    if (!verdicts) return this.isSilentForLong(key) ? policyComplianceUnknown() : undefined;
    const verdict = merge(verdicts);
    this.note(key, version, verdict);
    return policyCompliance(verdict);
  }

  /** Takes note of a verdict that was had otherwise. */
  note(key: string, version: string, verdict: PolicyReviewResponse): void {
    if (verdict.unanswered) return;
    const isFirm = verdict.allowed && policyCompliance(verdict).reason !== WAIVED;
    // Removed first, so that the oldest verdict stays the first.
    this.known.delete(key);
    this.known.set(key, { version, atMs: this.now(), isFirm });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  private isFresh(key: string, version: string): boolean {
    const last = this.known.get(key);
    if (!last?.isFirm || last.version !== version) return false;
    return this.now() - last.atMs < this.options.everyMs;
  }

  /** Undefined without an answer. */
  private async ask(
    { requests }: StandingDocument,
    context: PolicyReviewContext,
  ): Promise<readonly PolicyReviewResponse[] | undefined> {
    try {
      const verdicts = await this.policies.reviewAll(await requests(), withTimeout(context));
      return verdicts.some(({ unanswered }) => unanswered) ? undefined : verdicts;
    } catch (error) {
      if (context.remoteSignal?.aborted) throw error;
      this.options.logger.warn('Judging again what stands failed', { error });
      return undefined;
    }
  }

  private isSilentForLong(key: string): boolean {
    const sinceMs = this.known.get(key)?.atMs ?? this.startedMs;
    return this.now() - sinceMs > PATIENCE * this.options.everyMs;
  }
}

function withTimeout(context: PolicyReviewContext): PolicyReviewContext {
  const signals = [context.remoteSignal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)].filter((each) => each !== undefined);
  return { ...context, remoteSignal: AbortSignal.any(signals) };
}

/** One verdict of many: what any of them objects to. */
export function mergedReview(verdicts: readonly PolicyReviewResponse[]): PolicyReviewResponse {
  const recorded = verdicts.flatMap((verdict) => verdict.recorded ?? []);
  return {
    allowed: verdicts.every(({ allowed }) => allowed),
    violations: verdicts.flatMap(({ violations }) => violations),
    ...(recorded.length > 0 ? { recorded } : {}),
    ...(verdicts.some(({ unanswered }) => unanswered) ? { unanswered: true } : {}),
  };
}
