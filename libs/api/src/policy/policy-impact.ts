import { z } from 'zod';
import { POLICY_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { policySpec } from './policy.js';
import { policyStage } from './policy-terms.js';

const consequence = z.object({
  project: z.string(),
  cluster: z.string(),
  stage: policyStage,
  kind: z.string(),
  name: z.string().describe('Of the document'),
  field: z.string().describe('Path that the first violation names'),
  message: z.string().describe('What the first violation says'),
});

const consequences = (what: string) => z.array(consequence).describe(`${what}; the first ones where there are many`);

const QUESTION = defineKind({
  group: POLICY_GROUP,
  version: V1ALPHA1,
  kind: 'PolicyImpactReview',
  plural: 'policyimpactreviews',
  namespaced: false,
  verbs: ['create'],
  description: 'Asks what a Policy would change for what is there, before it is written.',
  spec: z.strictObject({
    name: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe('Name of the Policy that it is to replace; absent: none, it is a new one'),
    policy: policySpec
      .describe('The spec of the Policy; absent: what it would change to remove the named one')
      .optional(),
  }),
  status: z.object({
    documents: z.int().describe('How many were judged'),
    clusters: z.int().describe('How many Clusters would be newly denied'),
    projects: z.int().describe('How many Projects these are in'),
    newlyDenied: consequences('Documents that would be denied, and are not now'),
    newlyWarned: consequences('Documents that would be warned of, and are not now'),
    noLonger: consequences('Documents that would no longer be denied or warned of'),
    counts: z.object({ newlyDenied: z.int(), newlyWarned: z.int(), noLonger: z.int() }),
    incomplete: z.boolean().describe('The time was over before all documents were judged'),
    summary: z.string().describe('In one line'),
  }),
  example: {
    name: 'only-frankfurt',
    policy: {
      title: 'Clusters are in Frankfurt',
      level: 'must',
      match: { stages: ['ClusterSpec'] },
      validations: [{ expression: "object.spec.region == 'eu-central-1'", field: 'spec.region' }],
      remedy: 'Use eu-central-1',
    },
  },
});

/** What a rule, as it is to be written, would change for what is there. A question: nothing is stored, so there is no status to read. */
export const POLICY_IMPACT_REVIEW: typeof QUESTION = { ...QUESTION, hasStatus: false };

/** A question and its answer, as SubjectAccessReview is one: created, answered and not stored. */
export type PolicyImpactReview = ObjectOf<typeof POLICY_IMPACT_REVIEW>;
/** The counts are of all documents that were judged, the lists hold the first ones. */
export type PolicyImpact = NonNullable<PolicyImpactReview['status']>;
/** One document whose verdict changes; only its first violation is told. */
export type PolicyConsequence = z.output<typeof consequence>;
