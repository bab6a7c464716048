import {
  CLUSTER,
  policyEvaluationRequest,
  type Policy,
  type PolicyEvaluation,
  type PolicyEvaluationRequest,
  type PolicyReviewRequest,
  type PolicyStage,
} from '@crate/api';
import { catalogued, explain, statedEngine, type RuleReviewer } from '@crate/policy-engine';
import { parsedBody } from '@crate/service-host';

type Json = Readonly<Record<string, unknown>>;

/** For each step of explaining: reviews wait meanwhile, and whoever asks for those gives up after five seconds. */
const STEP_MS = 500;

/** The Project when nobody names one. */
const NO_PROJECT = 'default';

/**
 * What a stored rule makes of a document that somebody states, by itself: no waiver counts. Writes and remembers nothing. Throws
 * InvalidSpec for a malformed body.
 */
export function evaluatePolicy(policy: Policy, body: unknown, reviewer: RuleReviewer): PolicyEvaluation {
  const request = reviewRequest(policy, parsedBody(policyEvaluationRequest, body));
  const [told] = explain(request, { policies: [catalogued(policy)] }, reviewer, STEP_MS).rules;
  const { result = 'unmatched', violations = [], mismatches = [], reasons = [] } = told ?? {};
  return {
    kind: 'PolicyEvaluation',
    result,
    violations: violations.map(({ effect, field, message }) => ({ effect, field, message })),
    mismatches: [...mismatches],
    reasons: reasons.map(({ values, ...reason }) => ({ ...reason, values: [...values] })),
  };
}

function reviewRequest({ spec }: Policy, asked: PolicyEvaluationRequest): PolicyReviewRequest {
  const { oldDocument, stage = spec.match.stages[0] ?? 'ClusterSpec' } = asked;
  const document = asStored(stage, asked.document);
  const { operation = oldDocument === undefined ? 'CREATE' : 'UPDATE' } = asked;
  return {
    stage,
    operation,
    document,
    ...(oldDocument === undefined ? {} : { oldDocument: asStored(stage, oldDocument) }),
    subject: subjectOf(membersOf(document), { ...asked, stage }),
  };
}

/** What is said of a document, over what it says itself. */
function subjectOf(
  document: Json,
  {
    stage,
    project,
    provider,
    engine = statedEngine(stage, document),
  }: PolicyEvaluationRequest & { stage: PolicyStage },
): PolicyReviewRequest['subject'] {
  const metadata = membersOf(document['metadata']);
  const own = stage === 'ClusterSpec' ? textOf(metadata['namespace']) : undefined;
  return {
    namespace: project ?? own ?? NO_PROJECT,
    name: textOf(metadata['name']) ?? textOf(document['cluster_name']) ?? '',
    ...(provider === undefined ? {} : { provider }),
    ...(engine === undefined ? {} : { engine }),
  };
}

/** A Cluster with the defaults that rules see; one that the API would refuse is judged as it is. */
function asStored(stage: PolicyStage, document: unknown): unknown {
  if (stage !== 'ClusterSpec') return document;
  const parsed = CLUSTER.body.safeParse({ spec: membersOf(document)['spec'] });
  return parsed.success ? { ...membersOf(document), ...(parsed.data as Json) } : document;
}

function membersOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
