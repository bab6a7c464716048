import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeApi } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { policyEvalCommand } from './policy-eval.command.js';

const CLUSTER = `
apiVersion: lifecycle.crate.dev/v1alpha1
kind: Cluster
metadata: { name: demo, namespace: team-a }
spec: { accountRef: { name: aws }, region: eu-west-1, kubernetes: { engine: rke, version: v1.31.4 }, controlPlane: { replicas: 1 }, nodePools: [{ name: a, machineType: m5.large }] }
`;
const RULE = {
  apiVersion: 'policy.crate.dev/v1alpha1',
  kind: 'Policy',
  metadata: { name: 'enough' },
  spec: {
    title: 'There are enough machines',
    level: 'must',
    match: { stages: ['ClusterSpec'] },
    params: { least: 3 },
    validations: [
      {
        expression: 'object.spec.controlPlane.replicas >= params.least',
        message: 'few',
        field: 'spec.controlPlane.replicas',
      },
    ],
    remedy: 'Ask for more',
  },
};
const EXISTING = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'old', namespace: 'team-a' },
  spec: { kubernetes: { engine: 'existing' } },
};
const TEAM_A_IS_WARNED = { exceptions: [{ projects: ['team-a'], enforcement: 'warn' }] };
const FILES = {
  'cluster.yaml': CLUSTER,
  'rule.yaml': JSON.stringify(RULE),
  'warned.yaml': JSON.stringify({ ...RULE, spec: { ...RULE.spec, ...TEAM_A_IS_WARNED } }),
  'existing.yaml': JSON.stringify(EXISTING),
  'plan.json': JSON.stringify({ format_version: '1.2', resource_changes: [] }),
  'cluster.yml': 'nodes: []\nservices: {}\ncluster_name: demo\n',
  'objects.yaml': JSON.stringify({
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'one' },
        spec: { containers: [{ securityContext: { privileged: true } }] },
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two' } },
    ],
  }),
  'what.yaml': 'colour: green\n',
};

/** Compiling everything takes long on a busy machine. */
const ALL_PACKS_MS = 120_000;
const RULES = ['--policies', 'DIR/rule.yaml'];

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function run(...args: string[]): Promise<Written> {
  const { path, remove } = await directoryWith(FILES);
  cleanups.push(remove);
  const written = await outputOf(
    policyEvalCommand(),
    args.map((arg) => arg.replace('DIR', path)),
  );
  return { ...written, stdout: written.stdout.replaceAll(path, 'DIR') };
}

describe('crate policy eval', () => {
  it('tells the rules that a document breaks, with the values that decided, and fails', async () => {
    const { stdout, exitCode } = await run('-f', 'DIR/cluster.yaml', '--policies', 'DIR/rule.yaml');
    expect(stdout).toBe(
      [
        'DIR/cluster.yaml: ClusterSpec "team-a/demo" would be denied',
        '  DENY  enough (must)',
        '        spec.controlPlane.replicas: few',
        '        validations[0]: object.spec.controlPlane.replicas >= params.least',
        '          object.spec.controlPlane.replicas = 1',
        '          params.least = 3',
        '        remedy: Ask for more',
        '  1 rule: 0 pass, 1 fail, 0 cannot be evaluated, 0 skipped, 0 not asked',
        'Rules from DIR/rule.yaml',
        '',
      ].join('\n'),
    );
    expect(exitCode).toBe(1);
  });

  it(
    'judges by the packs that ship when nothing else is asked for, and fills in defaults first',
    async () => {
      const { stdout } = await run('-f', 'DIR/cluster.yaml');
      expect(stdout).toContain('WARN  cluster-control-plane-ha (should)');
      expect(stdout).toContain('0 cannot be evaluated');
      expect(stdout).toContain('Rules from the packs that ship');
    },
    ALL_PACKS_MS,
  );

  it('asks no rule about machines of a cluster that was there before, unless another engine is said', async () => {
    const { stdout } = await run('-f', 'DIR/existing.yaml', ...RULES);
    expect(stdout).toContain('ClusterSpec "team-a/old" is allowed');
    const said = await run('-f', 'DIR/existing.yaml', ...RULES, '--engine', 'rke');
    expect(said.stdout).toContain('ClusterSpec "team-a/old" would be denied');
  });

  it.each([
    { file: 'plan.json', args: RULES, want: 'TerraformPlan "default/"' },
    { file: 'cluster.yml', args: [...RULES, '--project', 'team-b'], want: 'EngineConfig "team-b/demo"' },
    { file: 'objects.yaml', args: [], want: 'objects.yaml, document 1: Manifest "default/one" would be denied' },
    { file: 'objects.yaml', args: RULES, want: 'objects.yaml, document 2: Manifest "default/two" is allowed' },
    { file: 'what.yaml', args: [...RULES, '--stage', 'EngineConfig'], want: 'EngineConfig "default/"' },
  ])(
    'tells what $file is: $want',
    async ({ file, args, want }) => {
      expect((await run('-f', `DIR/${file}`, ...args)).stdout).toContain(want);
    },
    ALL_PACKS_MS,
  );

  it('acts as the rules do in the Project', async () => {
    const own = await run('-f', 'DIR/cluster.yaml', '--policies', 'DIR/warned.yaml');
    expect(own.stdout).toContain('WARN  enough (must, warn)');
    expect(own.exitCode).toBe(0);
    const other = await run('-f', 'DIR/cluster.yaml', '--policies', 'DIR/warned.yaml', '--project', 'team-b');
    expect(other.stdout).toContain('DENY  enough (must)');
    expect(other.exitCode).toBe(1);
  });

  it('tells of all rules with --all, and why some were not asked', async () => {
    const { stdout } = await run('-f', 'DIR/plan.json', '--policies', 'DIR/rule.yaml', '--all');
    expect(stdout).toContain('  ----  enough (must)\n        match.stages: ClusterSpec; the document is TerraformPlan');
  });

  it.each(['json', 'yaml'])('prints %s', async (format) => {
    const { stdout } = await run('-f', 'DIR/cluster.yaml', '--policies', 'DIR/rule.yaml', '-o', format);
    expect(stdout).toMatch(/"?source"?: "?params.least"?,?\n\s+"?shown"?: "3"/);
  });

  it('takes the rules and waivers in force at an API', async () => {
    const waiver = (name: string, status: object): object => ({
      metadata: { name, namespace: 'team-a' },
      spec: { policies: ['enough'], reason: 'tests', expiresAt: '2999-01-01T00:00:00Z' },
      status,
    });
    let waivers = [waiver('asked', {})];
    const api = await FakeApi.start((_method, path) => {
      if (path === '/apis/policy.crate.dev/v1alpha1/policies') return { body: { items: [RULE].map(stored) } };
      return path === '/apis/policy.crate.dev/v1alpha1/namespaces/team-a/policywaivers'
        ? { body: { items: waivers } }
        : undefined;
    });
    cleanups.push(api.stop);
    const args = ['-f', 'DIR/cluster.yaml', '--data-dir', api.dataDir];
    expect((await run(...args)).stdout).toContain('DENY  enough (must)');
    waivers = [waiver('given', { approvedAt: '2026-01-01T00:00:00Z', approvals: [{ as: 'ProjectAdmin' }] })];
    const waived = await run(...args);
    expect(waived.stdout).toContain('NOTE  enough (must) waived by "given"');
    expect(waived.exitCode).toBe(0);
    expect((await run(...args, '--project', 'team-b')).stderr).toContain('without the waivers of "team-b"');
  });

  it('says what the API would refuse before it asks any rule', async () => {
    const { stdout } = await run('-f', 'DIR/objects.yaml', '--stage', 'ClusterSpec', '--policies', 'DIR/rule.yaml');
    expect(stdout).toContain('The API would refuse it: spec');
  });

  it.each([
    {
      args: ['-f', 'DIR/what.yaml', ...RULES],
      want: /what.yaml: Cannot tell what the document is: say so with --stage/,
    },
    { args: ['-f', 'DIR/none.yaml', ...RULES], want: /Cannot read/ },
    { args: ['-f', 'DIR/plan.json', '--policies', 'DIR/rule.yaml', '--server'], want: /either --policies or an API/ },
    { args: ['-f', 'DIR/plan.json', '--policies', 'DIR/what.yaml'], want: /neither a pack/ },
  ])('refuses $args', async ({ args, want }) => {
    await expect(run(...args)).rejects.toThrow(want);
  });
});

/** With what the API fills in. */
function stored(rule: typeof RULE): object {
  const defaults = { severity: 'medium', matchConditions: [], variables: [], auditAnnotations: [], references: [] };
  const acting = { enforcement: 'enforce', exceptions: [], waivableBy: 'ProjectAdmin' };
  return { ...rule, spec: { ...defaults, ...acting, ...rule.spec } };
}
