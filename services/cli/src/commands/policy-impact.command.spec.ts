import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { POLICY_IMPACT_REVIEW } from '@crate/api';
import { FakeApi } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { policyImpactCommand } from './policy-impact.command.js';

const RULE = (name: string): string => `
---
apiVersion: policy.crate.dev/v1alpha1
kind: Policy
metadata: { name: ${name} }
spec: { title: T, level: must, match: { stages: [ClusterSpec] }, validations: [{ expression: "true" }], remedy: R }
`;
const DENIED = {
  project: 'team-a',
  cluster: 'demo',
  stage: 'ClusterSpec',
  kind: 'Cluster',
  name: 'demo',
  field: 'spec.region',
  message: 'Elsewhere\u001b[2J\n  Nobody',
};
const WARNED = {
  ...DENIED,
  stage: 'Manifest',
  kind: 'Deployment',
  name: 'web',
  field: 'spec.replicas',
  message: 'Few',
};
const STATUS = {
  documents: 9,
  clusters: 3,
  projects: 1,
  newlyDenied: [DENIED],
  newlyWarned: [WARNED],
  noLonger: [],
  counts: { newlyDenied: 3, newlyWarned: 1, noLonger: 0 },
  incomplete: false,
  summary: 'would newly deny 3 clusters in 1 project (9 documents judged)',
};

let api: FakeApi;
let asked: unknown[];
let directory: Awaited<ReturnType<typeof directoryWith>>;

beforeEach(async () => {
  asked = [];
  directory = await directoryWith({ 'one.yaml': RULE('known'), 'two.yaml': RULE('known') + RULE('fresh') });
  api = await FakeApi.start((method, path, body) => {
    if (path === '/apis/policy.crate.dev/v1alpha1/policies/known') return { body: {} };
    if (method !== 'POST' || path !== '/apis/policy.crate.dev/v1alpha1/policyimpactreviews') return undefined;
    asked.push(body);
    return { body: { ...(body as object), status: STATUS }, status: 201 };
  });
});

afterEach(async () => {
  await api.stop();
  await directory.remove();
});

async function run(...args: string[]): Promise<Written> {
  const named = args.map((arg) => arg.replace('DIR', directory.path));
  return outputOf(policyImpactCommand(), [...named, '--data-dir', api.dataDir]);
}

describe('crate policy impact', () => {
  it('shows what a change would lead to', async () => {
    const { stdout, exitCode } = await run('-f', 'DIR/one.yaml');
    expect(stdout).toBe(
      [
        'known: would newly deny 3 clusters in 1 project (9 documents judged)',
        '  Newly denied:',
        '    team-a/demo (ClusterSpec) spec.region: Elsewhere\\u001b[2J Nobody',
        '    and 2 more',
        '  Newly warned of:',
        '    team-a/demo (Manifest Deployment web) spec.replicas: Few',
        '',
      ].join('\n'),
    );
    expect(exitCode).toBe(0);
  });

  it('asks as the API understands it: a rule that is there is replaced, a new one added, another removed', async () => {
    await run('-f', 'DIR/two.yaml', '--remove', 'old');
    const specs = asked.map((body) => (body as { spec: Record<string, unknown> }).spec);
    expect(specs.map(({ name, policy }) => [name, policy !== undefined])).toEqual([
      ['known', true],
      [undefined, true],
      ['old', false],
    ]);
    for (const spec of specs) expect(POLICY_IMPACT_REVIEW.body.safeParse({ spec }).success).toBe(true);
  });

  it('fails for what would be newly denied when it is asked to', async () => {
    expect((await run('-f', 'DIR/one.yaml', '--fail-on-denied')).exitCode).toBe(1);
  });

  it('prints data', async () => {
    const { stdout } = await run('-f', 'DIR/one.yaml', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ impacts: [{ policy: 'known', ...STATUS }] });
  });

  it('wants a rule', async () => {
    await expect(run()).rejects.toThrow(/Give rules with -f FILE/);
  });
});
