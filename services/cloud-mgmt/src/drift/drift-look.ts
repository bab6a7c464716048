import { isWithin, type CloudAccount, type DriftFailure, type Infrastructure } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { PolicyReviewer } from '@crate/messaging';
import { failureCause, nameSome, type DeletionWatch, type ReconcileContext } from '@crate/reconcile';
import { terraformFailureOf } from '@crate/terraform';
import type { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { InfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { readPlan, type PlanReading } from '../plan/plan-reading.js';
import { unaskedSteps } from '../plan/unasked-steps.js';
import { planReview } from '../policy/plan-review.js';
import type { DriftChecker, DriftFinding } from './drift-checker.js';
import { withFailure, withFound, type DriftRecord } from './drift-record.js';
import { driftStatusOf } from './found-drift-status.js';
import { MOST_BY_ITSELF, waitingSteps } from './unasked-run.js';

/** Longer than any comparison takes: what hangs must not keep other work away. */
const LONGEST_MS = 10 * 60_000;

export interface DriftLookParts {
  readonly checker: Pick<DriftChecker, 'check'>;
  readonly clouds: InfrastructureClouds;
  readonly stack: Pick<InfrastructureStack, 'aliases'>;
  readonly policies: PolicyReviewer;
  /** Ends a comparison that another spec or a deletion has overtaken. */
  readonly changes: DeletionWatch<Infrastructure>;
  readonly now: () => Date;
}

/** What to compare. */
export interface DriftLookSubject {
  readonly infrastructure: Infrastructure;
  readonly account: CloudAccount;
  readonly document: Readonly<Record<string, unknown>>;
  readonly record: DriftRecord;
  /** What is asked of the comparison; kept with what it finds. */
  readonly stance: string;
  /** Only the release changed the stack: what it would do is judged. */
  readonly isReleased: boolean;
  /** A run for what was applied already was not let through: what else it would do is judged. */
  readonly isRefused: boolean;
  /** Nothing may be done before it was looked: why it could not be is thrown, not noted. */
  readonly isRequired: boolean;
}

/** Compares an Infrastructure with the cloud, and says what was found or why it could not be looked. */
export class DriftLook {
  constructor(private readonly parts: DriftLookParts) {}

  /** Undefined when it was given up for other work. Throws what a newer pass or a shutdown has to see, and whatever failed where it `isRequired`. */
  async look(subject: DriftLookSubject, context: ReconcileContext): Promise<DriftRecord | undefined> {
    const watch = this.parts.changes.start(subject.infrastructure, context.remoteSignal);
    try {
      const signal = AbortSignal.any([watch.signal, AbortSignal.timeout(LONGEST_MS)]);
      const finding = await this.check(subject, context, signal);
      return await this.recordOf(subject, finding, context);
    } catch (error) {
      if (watch.isRequested()) return undefined;
      if (subject.isRequired || context.remoteSignal.aborted || hasCode(error, 'Conflict')) throw error;
      return withFailure(subject.record, failureOf(error), this.parts.now());
    } finally {
      watch.stop();
    }
  }

  private async check(
    { infrastructure, account, document, isReleased, isRefused }: DriftLookSubject,
    { epoch }: ReconcileContext,
    signal: AbortSignal,
  ): Promise<DriftFinding> {
    const cloud = this.parts.clouds.of(infrastructure, account);
    return this.parts.checker.check({
      infrastructureUid: infrastructure.metadata.uid,
      generation: infrastructure.metadata.generation,
      document,
      isPlanAsked: isReleased || isRefused,
      epoch,
      signal,
      openRuntime: () => cloud.openRuntime(signal),
      closeRuntime: cloud.closeRuntime,
    });
  }

  private async recordOf(
    subject: DriftLookSubject,
    finding: DriftFinding,
    context: ReconcileContext,
  ): Promise<DriftRecord> {
    const { record, stance } = subject;
    const now = this.parts.now();
    const kept = record.drift?.kept ?? [];
    const drift = driftStatusOf(finding.resources, { before: record.drift, kept, now, redact: finding.redact });
    const held = await this.held(subject, finding, context);
    const unasked = unaskedIn(subject, finding, held);
    return withFound(record, { drift, held, unasked, runId: record.runId, stance }, now);
  }

  /** Why the policy `correct` must not put it back by itself. */
  private async held(
    { infrastructure, account }: DriftLookSubject,
    { plan, resources }: DriftFinding,
    context: ReconcileContext,
  ): Promise<DriftFailure | undefined> {
    if (infrastructure.spec.drift.policy !== 'correct' || !plan || resources.length === 0) return undefined;
    const aliases = this.parts.stack.aliases(infrastructure, account);
    const limit = aboveCeiling(infrastructure, readPlan(plan, { aliases }));
    if (limit) return limit;
    const request = planReview(infrastructure, account.spec.provider, plan, { operation: 'UPDATE' });
    const { allowed, violations } = await this.parts.policies.review(request, context);
    if (allowed) return undefined;
    const broken = violations.filter(({ effect }) => effect === 'deny').map(({ policy }) => policy);
    return { code: 'PolicyDenied', message: `Policies forbid to put it back: ${nameSome(broken)}` };
  }
}

/** What waits for a person to ask for it. Pure. */
function unaskedIn(
  { infrastructure: { spec }, document, isReleased, isRefused }: DriftLookSubject,
  { plan, resources }: DriftFinding,
  held: DriftFailure | undefined,
): string | undefined {
  if (!plan) return undefined;
  if (isReleased) return unaskedSteps(plan, resources);
  const isPutBack = spec.drift.policy === 'correct' && held === undefined;
  return isRefused ? waitingSteps(plan, resources, { spec, document, isPutBack }) : undefined;
}

/** The ceiling of the cluster. Pure. */
function aboveCeiling({ spec }: Infrastructure, { impact }: PlanReading): DriftFailure | undefined {
  const ceiling = spec.maxImpact ?? MOST_BY_ITSELF;
  if (isWithin(impact?.impact, ceiling)) return undefined;
  const found = impact ? `has impact ${impact.impact} (${impact.address})` : 'has an impact that cannot be told';
  return { code: 'ImpactAboveCeiling', message: `Putting it back ${found}, and by itself at most ${ceiling} is done` };
}

function failureOf(error: unknown): DriftFailure {
  const { code, message } = terraformFailureOf(error) ?? failureCause(error);
  return { code, message };
}
