import { POLICY_STAGES } from '@crate/api';
import { badRequest } from '@crate/errors';
import { z } from 'zod';

const outcome = z.enum(['pass', 'fail', 'skip', 'error', 'unmatched']);

const expected = z.strictObject({
  result: outcome,
  /** Of the first violation. */
  field: z.string().optional(),
  message: z.string().optional(),
  effect: z.enum(['deny', 'warn', 'inform', 'record']).optional(),
});

const subject = z.strictObject({
  namespace: z.string().optional(),
  name: z.string().optional(),
  cluster: z.string().optional(),
  provider: z.string().optional(),
  engine: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

const test = z
  .strictObject({
    name: z.string().min(1),
    /** Absent: what the document looks like. */
    stage: z.enum(POLICY_STAGES).optional(),
    document: z.unknown().optional(),
    /** Relative to the test file. */
    file: z.string().optional(),
    /** Absent: UPDATE with an old document, CREATE without one. */
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE']).optional(),
    oldDocument: z.unknown().optional(),
    subject: subject.optional(),
    userInfo: z.strictObject({ username: z.string(), groups: z.array(z.string()).default([]) }).optional(),
    dryRun: z.boolean().optional(),
    /** Laid over the params of the rules that something is expected of. */
    params: z.record(z.string(), z.unknown()).optional(),
    /** By the name of the rule. */
    expect: z
      .record(z.string(), z.union([outcome.transform((result) => expected.parse({ result })), expected]))
      .refine((rules) => Object.keys(rules).length > 0, 'must name a rule'),
  })
  .refine(({ document, file }) => (document === undefined) !== (file === undefined), 'must have a document or a file');

const policyTest = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.literal('PolicyTest').optional(),
  metadata: z.looseObject({}).optional(),
  /** Files of rules, relative to this file, besides those named on the command line. */
  policies: z.array(z.string()).default([]),
  tests: z.array(test).min(1),
});

/** Rules that are tested, and documents with what they come to. */
export type PolicyTestFile = z.output<typeof policyTest>;
export type PolicyTestCase = PolicyTestFile['tests'][number];
export type Expected = z.output<typeof expected>;

/** Throws BadRequest that names every malformed field. */
export function parsePolicyTest(document: unknown, path: string): PolicyTestFile {
  const result = policyTest.safeParse(document);
  if (result.success) return result.data;
  const causes = result.error.issues.map(({ path: field, message }) => `${field.join('.') || 'it'}: ${message}`);
  throw badRequest(`${path} is no PolicyTest: ${causes.join('; ')}`);
}
