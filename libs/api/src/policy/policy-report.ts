import { z } from 'zod';
import { objectReference } from '../event/object-reference.js';
import type { KindDefinition, ResourceVerb, SubresourceDefinition } from '../kind/kind.js';
import type { KubeObject } from '../object/object.js';
import { policySeverity } from './policy-terms.js';

/** The group in which viewers of policy reports look. */
const POLICY_REPORT_GROUP = 'wgpolicyk8s.io';

/** Says what a report is about: `cluster` or `project`. */
export const REPORT_SCOPE_LABEL = 'policy.crate.dev/scope';
/** How many results there was no room for. */
export const OMITTED_RESULTS_ANNOTATION = 'policy.crate.dev/omitted-results';
/** How many documents were judged. */
export const DOCUMENTS_ANNOTATION = 'policy.crate.dev/documents';

const READ_ONLY: readonly ResourceVerb[] = ['get', 'list', 'watch'];

/** What a result is of which kind, as the working group has it. */
export const policyReportOutcome = z.enum(['pass', 'fail', 'warn', 'error', 'skip']);
/** Source: https://github.com/kubernetes-sigs/wg-policy-prototypes/tree/master/policy-report (v1alpha2). */
export type PolicyReportOutcome = z.output<typeof policyReportOutcome>;

const count = z.int().min(0).default(0);

const result = z.strictObject({
  source: z.string().optional().describe('Who found it'),
  policy: z.string().describe('Name of the Policy'),
  rule: z.string().optional().describe('The same: a Policy is one rule'),
  category: z.string().optional().describe('Pack that the Policy came with'),
  severity: policySeverity.optional(),
  result: policyReportOutcome
    .optional()
    .describe('fail: a must is broken; warn: a should or may; error: it cannot be judged; skip: it is waived'),
  scored: z.boolean().optional().describe('Whether the rule denies what breaks it'),
  message: z.string().optional().describe('What is wrong'),
  resources: z.array(objectReference).optional().describe('Whose document it is'),
  timestamp: z.strictObject({ seconds: z.int(), nanos: z.int() }).optional().describe('Since when it is so'),
  properties: z
    .record(z.string(), z.string())
    .optional()
    .describe('field, remedy, level, effect, stage, references and waiver; of a pass the number of documents'),
});

const body = z.strictObject({
  scope: objectReference.optional().describe('The Cluster or Project'),
  summary: z
    .strictObject({ pass: count, fail: count, warn: count, error: count, skip: count })
    .optional()
    .describe('Rules that nothing breaks, and how often others are broken'),
  results: z.array(result).optional(),
});

/** One rule and one thing that breaks it; of a pass, how many documents keep it. */
export type PolicyReportResult = z.output<typeof result>;
/** Counts everything, also results that there was no room for. */
export type PolicyReportSummary = NonNullable<z.output<typeof body>['summary']>;
/** Follows what is there: nobody writes it, and it goes with its Cluster or Project. */
export type PolicyReport = KubeObject & z.output<typeof body>;

/** Formats of the subresource `export`. */
export const EXPORT_FORMATS = ['csv', 'json', 'sarif', 'html', 'pdf'] as const;
/** `sarif` is SARIF 2.1.0; `pdf` and `html` are to be read by people. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const SUBRESOURCES: readonly SubresourceDefinition[] = [
  {
    name: 'export',
    verbs: ['get'],
    description: 'The report as a file; `pdf` and `html` are evidence to hand to an auditor.',
    parameters: [{ name: 'format', description: 'json, unless it says another', values: EXPORT_FORMATS }],
  },
  {
    name: 'compliance',
    verbs: ['get'],
    description: 'Controls of each framework that rules refer to, and how they stand.',
  },
  { name: 'history', verbs: ['get'], description: 'How the numbers were on each day, and after each change.' },
];

/**
 * What rules say of all that is there. Source of the shape:
 * https://github.com/kubernetes-sigs/wg-policy-prototypes/tree/master/policy-report (v1alpha2)
 */
export const POLICY_REPORT: KindDefinition<PolicyReport> = {
  group: POLICY_REPORT_GROUP,
  version: 'v1alpha2',
  kind: 'PolicyReport',
  plural: 'policyreports',
  singular: 'policyreport',
  shortNames: ['polr'],
  categories: ['crate'],
  namespaced: true,
  description: 'What rules say of a Cluster, or of all Clusters of a Project. Read-only: it follows what is there.',
  body,
  hasStatus: false,
  verbs: READ_ONLY,
  selectableFields: ['scope.kind', 'scope.name'],
  subresources: SUBRESOURCES,
  printerColumns: [
    { name: 'Kind', type: 'string', jsonPath: '.scope.kind', priority: 1 },
    { name: 'Name', type: 'string', jsonPath: '.scope.name', priority: 1 },
    { name: 'Pass', type: 'integer', jsonPath: '.summary.pass' },
    { name: 'Fail', type: 'integer', jsonPath: '.summary.fail' },
    { name: 'Warn', type: 'integer', jsonPath: '.summary.warn' },
    { name: 'Error', type: 'integer', jsonPath: '.summary.error' },
    { name: 'Skip', type: 'integer', jsonPath: '.summary.skip' },
  ],
  example: {
    scope: { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', namespace: 'team-a', name: 'demo' },
    summary: { pass: 41, fail: 1, warn: 0, error: 0, skip: 0 },
    results: [
      {
        source: 'crate',
        policy: 'cluster-region-allowed',
        rule: 'cluster-region-allowed',
        category: 'cluster-spec',
        severity: 'medium',
        result: 'fail',
        scored: true,
        message: 'Region me-south-1 is not offered',
        resources: [{ apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', namespace: 'team-a', name: 'demo' }],
        timestamp: { seconds: 1_795_341_600, nanos: 0 },
        properties: { field: 'spec.region', level: 'must', effect: 'deny', stage: 'ClusterSpec' },
      },
    ],
  },
};
