import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { POLICY_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';

/** What kind of document a rule judges. */
export const policyStage = z.enum(['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest']);
export type PolicyStage = z.output<typeof policyStage>;

/** RFC 2119: `must` denies, `should` warns, `may` informs. */
export const policyLevel = z.enum(['must', 'should', 'may']);
export type PolicyLevel = z.output<typeof policyLevel>;

/** A rule over one stage's documents, written in CEL (https://cel.dev). */
export const POLICY = defineKind({
  group: POLICY_GROUP,
  version: V1ALPHA1,
  kind: 'Policy',
  plural: 'policies',
  shortNames: ['pol'],
  categories: ['crate'],
  namespaced: false,
  description: 'A rule that documents of one stage must, should or may satisfy.',
  example: {
    stage: 'ClusterSpec',
    level: 'must',
    title: 'Control planes survive the loss of a machine',
    expression: 'document.spec.controlPlane.replicas >= 3',
    message: "'has ' + string(document.spec.controlPlane.replicas) + ' machines'",
    field: 'spec.controlPlane.replicas',
    remedy: 'Ask for three or more machines',
  },
  spec: z.strictObject({
    stage: policyStage,
    level: policyLevel,
    title: z.string().min(1).max(120),
    /** CEL list of items to judge one by one; without it the document itself is the one item. */
    forEach: z.string().optional().describe('CEL expression giving the list of items to judge, each bound to "item"'),
    when: z.string().optional().describe('CEL condition; items for which it is false are not judged'),
    expression: z.string().min(1).describe('CEL condition that an item must satisfy'),
    message: z.string().min(1).describe('CEL string expression or plain text telling what is wrong'),
    field: z.string().min(1).describe("JSON path in the person's document that causes it"),
    remedy: z.string().min(1).describe('What to do'),
    references: z.array(z.string()).default([]),
  }),
  status: statusBase,
  printerColumns: [
    { name: 'Stage', type: 'string', jsonPath: '.spec.stage' },
    { name: 'Level', type: 'string', jsonPath: '.spec.level' },
    { name: 'Title', type: 'string', jsonPath: '.spec.title' },
  ],
  selectableFields: ['spec.stage', 'spec.level'],
});

export type Policy = ObjectOf<typeof POLICY>;

/** Asks policy-mgmt whether a document may be acted on. */
export interface PolicyReviewRequest {
  readonly stage: PolicyStage;
  /** ClusterSpec: the Cluster object. TerraformPlan: `terraform show -json` of the plan. EngineConfig: the parsed config. Manifest: the object. */
  readonly document: unknown;
  /** Who it is for, for messages and matching. */
  readonly subject: { readonly namespace: string; readonly name: string; readonly provider?: string };
}

/** One rule that a document does not satisfy. */
export interface PolicyViolation {
  readonly policy: string;
  readonly level: PolicyLevel;
  readonly title: string;
  readonly field: string;
  readonly message: string;
  readonly remedy: string;
  readonly references: readonly string[];
}

/** `allowed` is false only when a `must` rule is violated. Violations are sorted by level, then policy, then field. */
export interface PolicyReviewResponse {
  readonly allowed: boolean;
  readonly violations: readonly PolicyViolation[];
}
