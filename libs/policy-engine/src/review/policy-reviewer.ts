import {
  toTimestamp,
  type PolicyLevel,
  type PolicyReviewRequest,
  type PolicyReviewResponse,
  type PolicyRuleResult,
  type PolicyViolation,
} from '@crate/api';
import { evaluationMistake, type Bindings } from '@crate/cel';
import type { ErrorCause } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { bindingsFor } from '../document/bindings.js';
import { isSmall } from '../document/small-document.js';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { readsOf } from '../rule/rule-reads.js';
import { effectOf, enforcementIn, type EnforcementInProject } from './enforcement.js';
import type { DocumentAtHand, ReviewLimits, Verdict } from './judge-all.js';
import { judgeUnknown, type ReviewOfKnown } from './judge-unknown.js';
import type { Objection } from './judge.js';
import { matches } from './match.js';
import type { RememberedJudgements } from './remembered-judgements.js';
import { told } from './told.js';
import { expiredWaiverFor, waiverFor, type ActiveWaiver } from './waiver.js';
import { whatStood, withWhatStood } from './what-stood.js';

/** Time for one rule, and for all rules of a review: callers wait five seconds. Real rules take a millisecond. */
const RULE_MS = 1000;
const REVIEW_MS = 4000;

/** Of what is wrong with a rule, so many are told whom it stops; its status names all. */
const CAUSES_TOLD = 3;

const RANK: Readonly<Record<PolicyLevel, number>> = { must: 0, should: 1, may: 2 };

/** By what a document is judged. */
export interface RulesInForce {
  readonly policies: readonly CataloguedPolicy[];
  readonly waivers?: readonly ActiveWaiver[];
}

/** A review with what each rule came to, for reports; `response` is what the one who asked is told. */
export interface DetailedReview {
  readonly response: PolicyReviewResponse;
  readonly results: readonly PolicyRuleResult[];
}

interface Judged extends EnforcementInProject {
  readonly rule: CataloguedPolicy;
}

/** A document with the rules that are about it, and the waivers that hold for it. */
export interface PreparedReview extends ReviewOfKnown, Circumstances {
  readonly rules: readonly Judged[];
}

type ObjectionsByRule = ReadonlyMap<CataloguedPolicy, readonly Objection[]>;

/** Judges documents by rules. */
export class RuleReviewer {
  constructor(
    private readonly logger: Logger,
    private readonly limits: ReviewLimits = { ruleMs: RULE_MS, reviewMs: REVIEW_MS },
    private readonly now: () => number = Date.now,
    /** What was judged before is not judged again; several reviewers may share it. */
    private readonly remembered?: RememberedJudgements,
  ) {}

  /** Never throws because of a rule: one that cannot be evaluated counts as violated, so a broken `must` denies. */
  review(request: PolicyReviewRequest, inForce: RulesInForce): PolicyReviewResponse {
    return this.reviewInDetail(request, inForce).response;
  }

  /** The same, and what every rule that matched came to. */
  reviewInDetail(request: PolicyReviewRequest, inForce: RulesInForce): DetailedReview {
    const [detailed] = this.reviewSome([this.prepared(request, inForce)]);
    return detailed as DetailedReview;
  }

  /** What is there to judge. */
  prepared(request: PolicyReviewRequest, { policies, waivers = [] }: RulesInForce): PreparedReview {
    const rules = policies
      .filter(({ policy }) => matches(policy.spec, request))
      .map((rule) => ({ rule, ...enforcementIn(rule.policy.spec, request.subject.namespace) }));
    const { stage } = request;
    const known = this.remembered?.of(request);
    const document = known && isSmall(request) ? smallDocument(request) : { stage, bindings: bindingsFor(request) };
    return { request, waivers, rules, document, ...(known ? { known } : {}) };
  }

  /** As many reviews as begin within `mostMs`, at least the first: each as it would be alone, and together cheaper. */
  reviewSome(reviews: readonly PreparedReview[], mostMs = Infinity): readonly DetailedReview[] {
    const endsAt = performance.now() + this.limits.reviewMs;
    return judgeUnknown(reviews, this.limits, mostMs).map((verdicts, index) => {
      const review = reviews[index] as PreparedReview;
      const judged = this.resultsOf(review, verdicts);
      const stood = judged.some(denies) ? this.objectionsBefore(review, judged, endsAt) : undefined;
      const results = stood ? this.resultsOf(review, verdicts, stood) : judged;
      return { response: responseOf(results), results };
    });
  }

  /**
   * What the rules that deny an update say of what it found, but for those that go by who asks: who set it up is not known. It takes no
   * longer than until `endsAt`: nobody waits for an answer that comes later, and what nobody judged excuses nothing.
   */
  private objectionsBefore(
    { request, rules }: PreparedReview,
    judged: readonly PolicyRuleResult[],
    endsAt: number,
  ): ObjectionsByRule | undefined {
    const stood = whatStood(request);
    if (!stood) return undefined;
    const denying = new Set(
      judged.filter((each) => each.result === 'fail' && denies(each)).map(({ policy }) => policy),
    );
    const policies = rules
      .map(({ rule }) => rule)
      .filter(({ policy }) => denying.has(policy.metadata.name) && !readsOf(policy.spec).user);
    const before = this.prepared(stood, { policies });
    const [verdicts = []] = judgeUnknown([before], { ...this.limits, reviewMs: endsAt - performance.now() });
    return new Map(before.rules.map(({ rule }, place) => [rule, objectionsIn(verdicts[place])]));
  }

  private resultsOf(
    review: PreparedReview,
    verdicts: readonly Verdict[],
    stood?: ObjectionsByRule,
  ): readonly PolicyRuleResult[] {
    return review.rules.map((judged, place) => {
      const verdict = verdicts[place];
      const before = stood?.get(judged.rule) ?? [];
      if (!verdict || before.length === 0 || !('objections' in verdict)) return this.resultOf(judged, verdict, review);
      const objections = withWhatStood(verdict.objections, before);
      return this.resultOf(judged, { ...verdict, objections }, review);
    });
  }

  private resultOf(judged: Judged, verdict: Verdict | undefined, at: Circumstances): PolicyRuleResult {
    const { metadata, spec } = judged.rule.policy;
    const common = { policy: metadata.name, level: spec.level, severity: spec.severity, title: spec.title };
    if (verdict && 'objections' in verdict) {
      const { applies, objections, auditAnnotations } = verdict;
      const violations = told(objections, (objection) => this.violationOf(judged, objection, at));
      const result = !applies ? 'skip' : violations.length > 0 ? 'fail' : 'pass';
      return { ...common, result, violations, ...(hasAny(auditAnnotations) ? { auditAnnotations } : {}) };
    }
    const field = spec.validations[0]?.field ?? 'spec';
    if (judged.rule.unreadable) {
      const objection = { field, message: unreadableMessage(judged.rule.unreadable), validation: 0 };
      return { ...common, result: 'error', violations: [this.violationOf(judged, objection, at)] };
    }
    const error = verdict?.error;
    this.logger.warn('Counting a policy as violated that cannot be evaluated', { error, policy: metadata.name });
    const message = `The policy cannot be evaluated: ${evaluationMistake(error)}`;
    const violation = this.violationOf(judged, { field, message, validation: 0 }, at);
    const remedy = 'Ask whoever maintains the policies to correct this one';
    return { ...common, result: 'error', violations: [{ ...violation, remedy }] };
  }

  private violationOf({ rule, enforcement }: Judged, objection: Objection, at: Circumstances): PolicyViolation {
    const { metadata, spec } = rule.policy;
    const { level, severity, title, remedy, references, waivableBy } = spec;
    const { subject } = at.request;
    const violation = { policy: metadata.name, field: objection.field };
    const isRest = objection.rest !== undefined;
    const about = { violation, waivableBy, subject, nowMs: this.now(), isRest };
    const waiver = waiverFor(at.waivers, about);
    const effect = waiver ? 'record' : effectOf(enforcement, level);
    const common = { ...violation, level, severity, effect, title, remedy, references };
    if (waiver) return { ...common, message: objection.message, waiver: waiver.name };
    const message = objection.message + whyAgain(expiredWaiverFor(at.waivers, about));
    if (effect !== 'deny' || !objection.stood) return { ...common, message };
    return { ...common, effect: 'warn', message: `${message} (as it was before)` };
  }
}

/** Converted when a rule first looks: often all have judged it before. What may be large is converted at once, on no rule's time. */
function smallDocument(request: PolicyReviewRequest): DocumentAtHand {
  let bindings: Bindings | undefined;
  return {
    stage: request.stage,
    isSmall: true,
    get bindings() {
      return (bindings ??= bindingsFor(request));
    },
  };
}

/** Of a rule that nothing can satisfy until somebody rewrites it. */
function unreadableMessage(causes: readonly ErrorCause[]): string {
  const told = causes.slice(0, CAUSES_TOLD).map(({ field = 'spec', message }) => `${field}: ${message}`);
  return `The policy is stored in a form that cannot be read, so nobody knows what it allows: ${told.join('; ')}`;
}

/** Who relied on a waiver is told that it has ended. */
function whyAgain(expired: ActiveWaiver | undefined): string {
  return expired ? ` (PolicyWaiver ${expired.name} expired on ${toTimestamp(new Date(expired.expiresAtMs))})` : '';
}

interface Circumstances {
  readonly request: PolicyReviewRequest;
  readonly waivers: readonly ActiveWaiver[];
}

function objectionsIn(verdict: Verdict | undefined): readonly Objection[] {
  return verdict && 'objections' in verdict ? verdict.objections : [];
}

function denies({ violations }: PolicyRuleResult): boolean {
  return violations.some(({ effect }) => effect === 'deny');
}

function responseOf(results: readonly PolicyRuleResult[]): PolicyReviewResponse {
  const violations = results.flatMap((result) => result.violations).sort(byLevel);
  const told = violations.filter(({ effect }) => effect !== 'record');
  const recorded = violations.filter(({ effect }) => effect === 'record');
  return {
    allowed: !told.some(({ effect }) => effect === 'deny'),
    violations: told,
    ...(recorded.length > 0 ? { recorded } : {}),
  };
}

function hasAny(object: object): boolean {
  return Object.keys(object).length > 0;
}

function byLevel(left: PolicyViolation, right: PolicyViolation): number {
  return RANK[left.level] - RANK[right.level] || compare(left.policy, right.policy) || compare(left.field, right.field);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
