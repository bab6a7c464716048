import { dirname, resolve } from 'node:path';
import type { PolicyReviewRequest, PolicyRuleResult } from '@crate/api';
import { badRequest } from '@crate/errors';
import {
  catalogued,
  type CataloguedPolicy,
  type CoverageReport,
  exampleRequest,
  explain,
  mistakesOf,
  type PolicyExample,
  RuleCoverage,
  RuleReviewer,
  stageOfExample,
  traceRule,
} from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { requestFor } from './document-request.js';
import { asPolicy, type LoadedPolicy, type LoadedTests, type PolicyFiles } from './policy-files.js';
import type { Expected, PolicyTestCase } from './policy-test-file.js';
import { readYamlFile } from './yaml-files.js';

/** One expectation of one rule. */
export interface TestCase {
  readonly path: string;
  readonly policy: string;
  readonly name: string;
  /** What was expected and what came, and why; none when the case passed. */
  readonly failure?: { readonly summary: string; readonly details: readonly string[] };
}

export interface TestRun {
  readonly policies: number;
  readonly cases: readonly TestCase[];
  readonly failed: number;
  readonly coverage: CoverageReport;
}

/** A question to one rule, and what is expected of the answer. */
interface Question {
  readonly rule: CataloguedPolicy;
  readonly request: PolicyReviewRequest;
  readonly about: Pick<TestCase, 'path' | 'policy' | 'name'>;
  readonly judge: (result: PolicyRuleResult | undefined) => string | undefined;
}

/** Judges every example and every test with the rules themselves; nothing is asked of a platform. */
export async function runTests({ policies, tests }: PolicyFiles): Promise<TestRun> {
  const rules = new Map(policies.map((policy) => [policy.name, catalogued(asPolicy(policy))]));
  const coverage = new RuleCoverage([...rules.values()]);
  const questions = [
    ...policies.flatMap((policy) => examplesOf(policy, rules.get(policy.name) as CataloguedPolicy)),
    ...(await Promise.all(tests.map((each) => questionsOf(each, rules)))).flat(),
  ];
  const reviewer = new RuleReviewer(new InMemoryLogger());
  const answers = questions.map((question) => answerTo(question, reviewer, coverage));
  const cases = [...policies.map(formOf), ...answers];
  const failed = cases.filter(({ failure }) => failure !== undefined).length;
  return { policies: policies.length, cases, failed, coverage: coverage.report() };
}

/** Whether the API would take the rule. */
function formOf({ path, name, spec }: LoadedPolicy): TestCase {
  const mistakes = mistakesOf(spec).map(({ field = 'spec', message }) => `${field}: ${message}`);
  const about = { path, policy: name, name: 'is well formed' };
  return mistakes.length === 0 ? about : { ...about, failure: { summary: 'it would be refused', details: mistakes } };
}

function examplesOf({ path, name, spec, examples }: LoadedPolicy, rule: CataloguedPolicy): readonly Question[] {
  return (['pass', 'fail'] as const).flatMap((kind) =>
    (examples?.[kind] ?? []).map((example, index) => ({
      rule,
      request: exampleRequest(stageOfExample(example, spec), example),
      about: { path, policy: name, name: `${kind} ${index + 1}${example.title ? ` (${example.title})` : ''}` },
      judge: (result) => (kind === 'pass' ? objectionTo(result) : shortfallOf(result, example)),
    })),
  );
}

/** To a passing example nothing may be objected; that the rule is not about it is as good. */
function objectionTo(result: PolicyRuleResult | undefined): string | undefined {
  return result && result.violations.length > 0 ? `expected no objection, got ${toldOf(result)}` : undefined;
}

function shortfallOf(result: PolicyRuleResult | undefined, { field, message }: PolicyExample): string | undefined {
  if (!result || result.violations.length === 0) return `expected an objection, got ${toldOf(result)}`;
  return differenceOf(result, { field, message });
}

async function questionsOf(
  { path, file }: LoadedTests,
  rules: ReadonlyMap<string, CataloguedPolicy>,
): Promise<readonly Question[]> {
  const all = file.tests.map(async (test) => {
    const request = await requestOf(test, path);
    return Object.entries(test.expect).map(([policy, expected]): Question => {
      const rule = rules.get(policy);
      if (!rule)
        throw badRequest(`${path}: test "${test.name}" expects something of Policy "${policy}", which no file has`);
      return {
        rule: withParams(rule, test.params),
        request,
        about: { path, policy, name: test.name },
        judge: (result) => deviationOf(result, expected),
      };
    });
  });
  return (await Promise.all(all)).flat();
}

async function requestOf(test: PolicyTestCase, path: string): Promise<PolicyReviewRequest> {
  const { name, document = await documentOf(test, path), userInfo, dryRun, ...circumstances } = test;
  try {
    const request = requestFor(document, circumstances);
    return { ...request, ...(userInfo ? { userInfo } : {}), ...(dryRun === undefined ? {} : { dryRun }) };
  } catch (error) {
    throw badRequest(`${path}: test "${name}": ${(error as Error).message}`);
  }
}

async function documentOf({ name, file = '' }: PolicyTestCase, path: string): Promise<unknown> {
  const { documents } = await readYamlFile(resolve(dirname(path), file));
  if (documents.length === 1) return documents[0];
  throw badRequest(`${path}: test "${name}": ${file} has ${documents.length} documents, and must have one`);
}

function withParams(rule: CataloguedPolicy, params: PolicyTestCase['params']): CataloguedPolicy {
  if (!params) return rule;
  const { policy } = rule;
  return catalogued({ ...policy, spec: { ...policy.spec, params: { ...policy.spec.params, ...params } } });
}

function deviationOf(result: PolicyRuleResult | undefined, expected: Expected): string | undefined {
  const got = result?.result ?? 'unmatched';
  if (got !== expected.result) return `expected ${expected.result}, got ${toldOf(result)}`;
  return differenceOf(result, expected);
}

/** Between what the first violation says and what it is to say. */
function differenceOf(
  result: PolicyRuleResult | undefined,
  expected: { readonly [part in 'field' | 'message' | 'effect']?: string | undefined },
): string | undefined {
  const first = result?.violations[0];
  const parts = (['field', 'message', 'effect'] as const).filter(
    (part) => expected[part] !== undefined && expected[part] !== first?.[part],
  );
  if (parts.length === 0) return undefined;
  return parts.map((part) => `expected the ${part} "${expected[part]}", got "${first?.[part] ?? ''}"`).join('; ');
}

function toldOf(result: PolicyRuleResult | undefined): string {
  if (!result) return 'unmatched';
  const [first] = result.violations;
  return first ? `${result.result} (${first.field}: ${first.message})` : result.result;
}

function answerTo({ rule, request, about, judge }: Question, reviewer: RuleReviewer, coverage: RuleCoverage): TestCase {
  const { results } = reviewer.reviewInDetail(request, { policies: [rule] });
  const [result] = results;
  coverage.add(about.policy, result?.result ?? 'unmatched', traceRule(rule, request));
  const summary = judge(result);
  return summary === undefined
    ? about
    : { ...about, failure: { summary, details: reasonsOf(rule, request, reviewer) } };
}

/** The values that decided, for whoever has to find out why. */
function reasonsOf(rule: CataloguedPolicy, request: PolicyReviewRequest, reviewer: RuleReviewer): readonly string[] {
  const [explained] = explain(request, { policies: [rule] }, reviewer).rules;
  const values = (explained?.reasons ?? []).flatMap(({ place, values: shown }) =>
    shown.map(({ source, shown: value }) => `${place}: ${source} = ${value}`),
  );
  return [...(explained?.mismatches ?? []), ...values];
}
