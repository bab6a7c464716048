import { z } from 'zod';
import { labelSelector } from '../kind/label-selector.js';
import { statusBase } from '../kind/fields.js';
import { POLICY_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { EVALUATE_SUBRESOURCE, EXAMPLES_SUBRESOURCE } from './policy-evaluation.js';
import {
  policyEnforcement,
  policyLevel,
  policyOperation,
  policySeverity,
  policyStage,
  policyWaivableBy,
} from './policy-terms.js';

const expression = z.string().min(1).max(4000);
const name = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a CEL identifier')
  .max(63);
const names = z.array(z.string().min(1).max(253)).min(1).max(200);
const named = z.strictObject({ name, expression: expression.describe('CEL expression') });
/** Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
const label = z
  .string()
  .max(63)
  .regex(
    /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/,
    'must be letters, digits, "-", "_" and ".", and begin and end with a letter or digit',
  );
const condition = z.strictObject({ name: label, expression: expression.describe('CEL expression') });

/** What a rule is about. */
export const policyMatch = z.strictObject({
  stages: z.array(policyStage).min(1).describe('Stages whose documents are judged'),
  kinds: names
    .optional()
    .describe('Kinds, such as Deployment, apps/Deployment or Cluster; `*` stands for any part; absent: all'),
  operations: z
    .array(policyOperation)
    .min(1)
    .optional()
    .describe('Operations; absent: CREATE and UPDATE. What is there already is judged as by UPDATE'),
  projects: names.optional().describe('Projects; `team-*` allows a family; absent: all'),
  excludeProjects: names.optional().describe('Projects that are left out'),
  labels: labelSelector.optional().describe("Labels of the Cluster, or of the Manifest's object; absent: any"),
  providers: names.optional().describe('Cloud providers, such as aws; absent: all'),
  engines: names
    .optional()
    .describe('Engines, such as rke; absent: all, but for the stage ClusterSpec only those that make clusters'),
});

const validation = z.strictObject({
  forEach: expression
    .optional()
    .describe(
      'CEL list of items to judge, each bound to "item", its place to "index"; absent: the object is the one item',
    ),
  when: expression.optional().describe('CEL condition; items for which it is false are not judged'),
  expression: expression.describe('CEL condition that an item must satisfy'),
  message: z.string().min(1).max(1000).optional().describe('What is wrong, as plain text'),
  messageExpression: expression
    .optional()
    .describe('CEL string telling what is wrong; "message" stands in when it fails'),
  field: z.string().min(1).max(500).optional().describe("JSON path in the person's document that causes it"),
  fieldExpression: expression.optional().describe('CEL string giving that path'),
});

const exception = z.strictObject({
  projects: names.describe('Projects, `team-*` allows a family'),
  enforcement: policyEnforcement.optional().describe('Absent: as by default'),
  params: z.looseObject({}).optional().describe('Laid over the params, member by member'),
});

/** Every field of a rule that a person writes. */
export const policySpec = z.strictObject({
  title: z.string().min(1).max(120).describe('What holds, in a few words'),
  description: z.string().max(4000).optional().describe('Why, for a person whom the rule stops'),
  level: policyLevel.describe('RFC 2119: must denies, should warns, may informs'),
  severity: policySeverity.default('medium').describe('How bad it is when it is broken, for reports'),
  match: policyMatch.describe('What is judged; all of it must fit'),
  matchConditions: z
    .array(condition)
    .max(64)
    .default([])
    .describe('CEL conditions on the whole document, judged before anything else; false: the rule does not apply'),
  params: z.looseObject({}).default({}).describe('Values that expressions see as "params"'),
  variables: z
    .array(named)
    .max(64)
    .default([])
    .describe('Values that later expressions see as variables.<name>, worked out once and only when asked for'),
  validations: z.array(validation).min(1).max(32).describe('What must hold'),
  auditAnnotations: z
    .array(z.strictObject({ key: label, valueExpression: expression }))
    .max(20)
    .default([])
    .describe('CEL strings that go with the results into audit and reports; an empty one is left out'),
  remedy: z.string().min(1).max(2000).describe('What to do'),
  references: z
    .array(z.string().max(300))
    .default([])
    .describe('Such as "CIS AWS Foundations 3.0.0 5.2" and "NIST 800-53 AC-4"'),
  enforcement: policyEnforcement
    .default('enforce')
    .describe('How it acts in every Project that exceptions do not name'),
  exceptions: z
    .array(exception)
    .max(100)
    .default([])
    .describe('What differs in some Projects; the first that fits counts'),
  waivableBy: policyWaivableBy.default('ProjectAdmin').describe('Who may approve a PolicyWaiver'),
});

/**
 * A rule over documents of some stages, written in CEL (https://cel.dev). The shape follows ValidatingAdmissionPolicy:
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const POLICY = defineKind({
  group: POLICY_GROUP,
  version: V1ALPHA1,
  kind: 'Policy',
  plural: 'policies',
  shortNames: ['pol'],
  categories: ['crate'],
  namespaced: false,
  description: 'A rule that documents of some stages must, should or may satisfy.',
  example: {
    title: 'Control planes survive the loss of a machine',
    level: 'must',
    severity: 'high',
    match: { stages: ['ClusterSpec'], projects: ['prod-*'] },
    params: { least: 3 },
    validations: [
      {
        expression: 'object.spec.controlPlane.replicas >= params.least',
        messageExpression: "'has ' + string(object.spec.controlPlane.replicas) + ' machines'",
        field: 'spec.controlPlane.replicas',
      },
    ],
    remedy: 'Ask for three or more machines',
  },
  spec: policySpec,
  status: statusBase,
  printerColumns: [
    { name: 'Stages', type: 'string', jsonPath: '.spec.match.stages[*]' },
    { name: 'Level', type: 'string', jsonPath: '.spec.level' },
    { name: 'Severity', type: 'string', jsonPath: '.spec.severity', priority: 1 },
    { name: 'Enforcement', type: 'string', jsonPath: '.spec.enforcement' },
    { name: 'Title', type: 'string', jsonPath: '.spec.title' },
  ],
  selectableFields: ['spec.level', 'spec.severity', 'spec.enforcement'],
  subresources: [EXAMPLES_SUBRESOURCE, EVALUATE_SUBRESOURCE],
});

/** One rule, for all Projects that it does not leave out. */
export type Policy = ObjectOf<typeof POLICY>;
/** As stored: defaults that came with later releases are absent of rules from before. */
export type PolicySpec = Policy['spec'];
