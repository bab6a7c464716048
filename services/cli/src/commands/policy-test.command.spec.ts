import { afterEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shippedPacksDir } from '../config.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { policyTestCommand } from './policy-test.command.js';

const RULE = `
apiVersion: policy.crate.dev/v1alpha1
kind: Policy
metadata: { name: enough-machines }
spec:
  title: There are enough machines
  level: must
  match: { stages: [ClusterSpec], projects: [prod-*] }
  params: { least: 3 }
  validations:
    - expression: object.spec.controlPlane.replicas >= params.least
      messageExpression: '"has " + string(object.spec.controlPlane.replicas)'
      field: spec.controlPlane.replicas
  remedy: Ask for more
`;
const CLUSTER = (replicas: number) =>
  `{apiVersion: lifecycle.crate.dev/v1alpha1, kind: Cluster, metadata: {name: demo, namespace: prod-a}, spec: {controlPlane: {replicas: ${replicas}}}}`;
const TESTS = (expected: string, further = '') => `
kind: PolicyTest
policies: [rules/rule.yaml]
tests:
  - { name: three are enough, document: ${CLUSTER(3)}, expect: { enough-machines: pass } }
  - { name: one is not, file: one.yaml, expect: { enough-machines: ${expected} } ${further} }
`;

/** Compiling and judging everything takes long on a busy machine. */
const ALL_PACKS_MS = 120_000;

let remove: (() => Promise<void>) | undefined;

afterEach(async () => remove?.());

async function run(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Written & { path: string }> {
  const directory = await directoryWith({ 'rules/rule.yaml': RULE, 'one.yaml': CLUSTER(1), ...files });
  remove = directory.remove;
  const named = args.map((arg) => arg.replace('DIR', directory.path));
  return { ...(await outputOf(policyTestCommand(), named)), path: directory.path };
}

describe('crate policy test', () => {
  it(
    'runs the packs that ship: all examples come out as they say, and everything is covered',
    async () => {
      const { stdout, exitCode } = await outputOf(policyTestCommand(), [shippedPacksDir(), '--min-coverage', '100']);
      expect(stdout).toMatch(/^\d+ rules, \d+ cases: \d+ passed, 0 failed\nCoverage 100 % /);
      expect(exitCode).toBe(0);
    },
    ALL_PACKS_MS,
  );

  it('runs tests over rules that they name', async () => {
    const { stdout, exitCode } = await run(
      { 'a.yaml': TESTS('{ result: fail, message: has 1, effect: deny }') },
      'DIR/a.yaml',
    );
    expect(stdout).toBe(
      '1 rule, 3 cases: 3 passed, 0 failed\n' +
        'Coverage 100 % (4 of 4: each rule and each validation seen to pass and seen to fail)\n',
    );
    expect(exitCode).toBe(0);
  });

  it.each([
    { expected: 'pass', want: 'one is not: expected pass, got fail (spec.controlPlane.replicas: has 1)' },
    { expected: '{ result: fail, message: none }', want: 'expected the message "none", got "has 1"' },
    { expected: '{ result: fail, field: spec }', want: 'expected the field "spec", got "spec.controlPlane.replicas"' },
    { expected: '{ result: fail, effect: warn }', want: 'expected the effect "warn", got "deny"' },
    { expected: 'unmatched', want: 'expected unmatched, got fail' },
  ])('fails when $expected is expected, and says what came', async ({ expected, want }) => {
    const { stdout, exitCode } = await run({ 'a.yaml': TESTS(expected) }, 'DIR');
    expect(stdout).toContain(want);
    expect(stdout).toContain('        validations[0]: object.spec.controlPlane.replicas = 1\n');
    expect(stdout).toContain('1 rule, 3 cases: 2 passed, 1 failed');
    expect(exitCode).toBe(1);
  });

  it.each([
    { name: 'params', further: ', params: { least: 1 }', expected: 'pass' },
    { name: 'another Project', further: ', subject: { namespace: team-a }', expected: 'unmatched' },
    { name: 'a deletion', further: ', operation: DELETE', expected: 'unmatched' },
    { name: 'a stage', further: ', stage: Manifest', expected: 'unmatched' },
  ])('takes $name of a test', async ({ further, expected }) => {
    expect((await run({ 'a.yaml': TESTS(expected, further) }, 'DIR/a.yaml')).exitCode).toBe(0);
  });

  it('tells what was never seen, and fails below the coverage that is asked for', async () => {
    const { stdout, stderr, exitCode } = await run({}, 'DIR', '--min-coverage', '80');
    expect(stdout).toContain('Not covered:\n      enough-machines: never matched\n');
    expect(stderr).toBe('crate: Coverage is 0 %, less than 80 %\n');
    expect(exitCode).toBe(1);
  });

  it('fails for a rule that the API would refuse', async () => {
    const { stdout, exitCode } = await run({ 'rules/rule.yaml': RULE.replace('params.least', 'params.most') }, 'DIR');
    expect(stdout).toContain(
      'enough-machines: is well formed: it would be refused\n        spec.validations[0].expression',
    );
    expect(exitCode).toBe(1);
  });

  it('writes JUnit XML', async () => {
    const { path } = await run(
      { 'a.yaml': TESTS('pass').replace('one is not', 'a < "b" & c') },
      'DIR',
      '--junit',
      'DIR/out.xml',
    );
    const xml = await readFile(join(path, 'out.xml'), 'utf8');
    expect(xml).toContain('<testsuites name="crate policy test" tests="3" failures="1">');
    expect(xml).toContain(
      '<testcase classname="enough-machines" name="a &lt; &quot;b&quot; &amp; c"><failure message="expected pass',
    );
  });

  it.each(['json', 'yaml'])('prints %s', async (format) => {
    const { stdout } = await run({ 'a.yaml': TESTS('fail') }, 'DIR', '-o', format);
    expect(stdout).toMatch(/"?percent"?: 100/);
  });

  it.each([
    { name: 'no rules', files: { 'x/a.yaml': '{}' }, args: ['DIR/x'], want: /There are no rules in/ },
    {
      name: 'another file',
      files: { 'a.yaml': 'a: 1' },
      args: ['DIR/a.yaml'],
      want: /neither a pack, nor Policy documents/,
    },
    { name: 'a name twice', files: { 'b.yaml': RULE }, args: ['DIR'], want: /Policy "enough-machines" stands twice/ },
    {
      name: 'a misspelt member',
      files: { 'a.yaml': TESTS('{ results: fail }') },
      args: ['DIR'],
      want: /a.yaml is no PolicyTest: tests.1.expect/,
    },
    {
      name: 'an unknown rule',
      files: { 'a.yaml': TESTS('pass').replaceAll('enough-machines:', 'other:') },
      args: ['DIR'],
      want: /Policy "other", which no file has/,
    },
    { name: 'no YAML', files: { 'a.yaml': 'a: [' }, args: ['DIR/a.yaml'], want: /a.yaml is no YAML/ },
    { name: 'no file', files: {}, args: ['DIR/none.yaml'], want: /Cannot read .*none.yaml/ },
  ])('refuses $name', async ({ files, args, want }) => {
    await expect(run(files as Record<string, string>, ...args)).rejects.toThrow(want);
  });
});
