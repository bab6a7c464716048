import { z } from 'zod';
import { jsonSchemaOf } from '../cloud/state-diff.js';
import type { SubresourceDefinition } from '../kind/kind.js';
import { policyOperation, policyStage } from './policy-terms.js';

const text = z.string().min(1).max(253);

/** What is known of a document besides itself. */
const circumstances = {
  stage: policyStage.optional().describe('What kind of document it is; absent: the first stage of the rule'),
  operation: policyOperation.optional().describe('Absent: CREATE, or UPDATE where there is an oldDocument'),
  project: text.optional().describe('Project that it is in; absent: what the document says, else "default"'),
  provider: text.optional().describe('Of the Cluster; absent: what the document says'),
  engine: text.optional().describe('Of the Cluster; absent: what the document says'),
  oldDocument: z.unknown().optional().describe('What is there now; absent: nothing'),
};

const policyExample = z.object({
  expected: z.enum(['pass', 'fail']).describe('Whether the rule accepts the document'),
  title: z.string().optional(),
  ...circumstances,
  stage: policyStage,
  document: z.unknown(),
  field: z.string().optional().describe('What a failing one is objected to at'),
  message: z.string().optional(),
});

/** Answer of the subresource `examples`. */
export const policyExamples = z.object({
  kind: z.string(),
  items: z.array(policyExample).describe('Those that fail first; none of a rule that came from no pack'),
});

/** Body of a POST to the subresource `evaluate`. */
export const policyEvaluationRequest = z.strictObject({
  ...circumstances,
  document: z
    .record(z.string(), z.unknown())
    .describe('A Cluster, `terraform show -json`, a configuration, or an object'),
});

const violation = z.object({
  effect: z.string().describe('deny, warn, inform, or record'),
  field: z.string(),
  message: z.string(),
});

const reason = z.object({
  place: z.string().describe('Place in the rule, such as validations[0]'),
  expression: z.string(),
  values: z.array(z.object({ source: z.string(), shown: z.string() })).describe('Those that decided'),
});

/** Answer of the subresource `evaluate`. */
export const policyEvaluation = z.object({
  kind: z.string(),
  result: z
    .enum(['pass', 'fail', 'skip', 'error', 'unmatched'])
    .describe('skip: a condition was not met; error: it could not be evaluated; unmatched: the rule is not about it'),
  violations: z.array(violation),
  mismatches: z.array(z.string()).describe('Why the rule is not about the document'),
  reasons: z.array(reason).describe('Where the rule objects, and the values that decided; secrets are masked'),
});

/** What a rule accepts and objects to. */
export type PolicyExamples = z.output<typeof policyExamples>;
/** A document that a rule accepts or objects to. */
export type PolicyExampleDocument = PolicyExamples['items'][number];
/** Asks what a rule makes of a document. */
export type PolicyEvaluationRequest = z.output<typeof policyEvaluationRequest>;
/** What a rule makes of a document. */
export type PolicyEvaluation = z.output<typeof policyEvaluation>;

/** What its pack ships with a rule. */
export const EXAMPLES_SUBRESOURCE: SubresourceDefinition = {
  name: 'examples',
  verbs: ['get'],
  description: 'Documents that the rule accepts and objects to, as its pack ships them.',
  answers: { mediaType: 'application/json', schema: jsonSchemaOf(policyExamples) },
};

/** One rule, one document. */
export const EVALUATE_SUBRESOURCE: SubresourceDefinition = {
  name: 'evaluate',
  verbs: ['create'],
  description:
    'Says what the rule makes of a document, and why, as `crate policy eval` does. Nothing is written or remembered.',
  takes: {
    mediaType: 'application/json',
    schema: jsonSchemaOf(policyEvaluationRequest),
    example: { document: { spec: { controlPlane: { replicas: 1 } } } },
  },
  gives: { mediaType: 'application/json', schema: jsonSchemaOf(policyEvaluation) },
};
