import type { PolicyReviewRequest } from '@crate/api';
import { bindingsFor, RuleReviewer, type CataloguedPolicy } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { bareLoop, bareRule, type BareRule } from './bare-cel.js';
import { bigPlan } from './big-plan.js';
import { bufbuildExpression, equivalentRules, EXPRESSIONS } from './equivalent-rules.js';
import { clusterReviews } from './ordinary-clusters.js';
import { inRounds, type Taken } from './rounds.js';
import { compiled, repeated, shippedRules, type NamedRule } from './shipped-rules.js';

const RULES = 200;
const RESOURCES = 300;
const CLUSTERS = 60;

const PLAN = { full: { warmUp: 100, runs: 500 }, quick: { warmUp: 2, runs: 10 } };
const SPEC = { full: { warmUp: 3_000, runs: 30_000 }, quick: { warmUp: 50, runs: 500 } };

/** Reviews in this process, beside the bare library doing those of the rules that it can do alone. */
export interface EngineResult {
  readonly rules: number;
  /** Rules that both `comparable` and `bare` judge. */
  readonly comparableRules: number;
  /** Violations of all documents together: what is compliant makes rules run to their end. */
  readonly violations: number;
  readonly taken: Readonly<Record<'crate' | 'comparable' | 'bare', Taken>>;
}

/** Rules that every engine can judge; times are those of all of them together. */
export interface EquivalentResult {
  /** Of this library and of Crate. */
  readonly rules: number;
  readonly bufbuildRules: number;
  readonly taken: Readonly<Record<'crate' | 'celjs' | 'bufbuild', Taken>>;
}

/** The review of a plan of 300 resources by 200 rules. */
export async function measurePlan(quick: boolean): Promise<EngineResult> {
  const rules = repeated(await shippedRules('TerraformPlan'), RULES);
  return measureReviews(rules, [planReview()], quick ? PLAN.quick : PLAN.full);
}

/** Reviews of clusters by all rules there are for them. */
export async function measureSpec(quick: boolean): Promise<EngineResult> {
  return measureReviews(await shippedRules('ClusterSpec'), clusterReviews(CLUSTERS), quick ? SPEC.quick : SPEC.full);
}

/** The same plan by simple rules that another engine can judge, too. */
export function measureEquivalent(quick: boolean): EquivalentResult {
  const request = planReview();
  const rules = repeated(equivalentRules(), RULES);
  const { resources } = bindingsFor(request);
  const others = EXPRESSIONS.map(bufbuildExpression);
  const subjects = {
    crate: reviewing(compiled(rules), [request]),
    celjs: looping(bareRules(rules), [request]),
    bufbuild: () => mustHold(others.every((holds) => holds(resources as never))),
  };
  const taken = inRounds(subjects, quick ? PLAN.quick : PLAN.full);
  return { rules: rules.length, bufbuildRules: others.length, taken };
}

function measureReviews(
  rules: readonly NamedRule[],
  requests: readonly PolicyReviewRequest[],
  plan: { readonly warmUp: number; readonly runs: number },
): EngineResult {
  const policies = compiled(rules);
  const bare = bareRules(rules);
  const names = new Set(bare.map(({ name }) => name));
  const comparable = policies.filter(({ policy }) => names.has(policy.metadata.name));
  const subjects = {
    crate: reviewing(policies, requests),
    comparable: reviewing(comparable, requests),
    bare: looping(bare, requests),
  };
  const taken = inRounds(subjects, plan);
  const violations = violationsOf(policies, requests);
  return { rules: rules.length, comparableRules: bare.length, violations, taken };
}

function planReview(): PolicyReviewRequest {
  const subject = { namespace: 'team-a', name: 'demo', cluster: 'demo', provider: 'aws', engine: 'rke' };
  return { stage: 'TerraformPlan', operation: 'UPDATE', document: bigPlan(RESOURCES), subject };
}

function bareRules(rules: readonly NamedRule[]): readonly BareRule[] {
  return rules.flatMap((rule) => bareRule(rule) ?? []);
}

/** One review with each run, of the requests in turn. */
function reviewing(policies: readonly CataloguedPolicy[], requests: readonly PolicyReviewRequest[]): () => void {
  const logger = new InMemoryLogger();
  const reviewer = new RuleReviewer(logger);
  return inTurn(requests, (request) => {
    reviewer.review(request, { policies });
    // A rule that could not be evaluated has not been measured.
    mustHold(logger.lines.length === 0);
  });
}

/** What the library does of that, with values converted beforehand. */
function looping(rules: readonly BareRule[], requests: readonly PolicyReviewRequest[]): () => void {
  return inTurn(
    requests.map((request) => bindingsFor(request)),
    (values) => void bareLoop(rules, values),
  );
}

function inTurn<T>(all: readonly T[], work: (each: T) => void): () => void {
  let next = 0;
  return () => {
    work(all[next] as T);
    next = (next + 1) % all.length;
  };
}

function violationsOf(policies: readonly CataloguedPolicy[], requests: readonly PolicyReviewRequest[]): number {
  const reviewer = new RuleReviewer(new InMemoryLogger());
  return requests.reduce((sum, request) => sum + reviewer.review(request, { policies }).violations.length, 0);
}

function mustHold(holds: boolean): void {
  if (!holds) throw new Error('A rule was not judged as it should be, so its time means nothing');
}
