import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  CLUSTER,
  MOST_MACHINES,
  POLICY_STAGES,
  SUPPORTED_KUBERNETES_VERSIONS,
  type Policy,
  type PolicyReviewResponse,
  type PolicyStage,
  type PolicyViolation,
} from '@crate/api';
import {
  catalogued as compiled,
  effectOf,
  exampleRequest,
  GOOD_CLUSTER,
  GOOD_CONFIG,
  GOOD_RKE2_CONFIG,
  matches,
  mistakesOf,
  readPacks,
  RuleReviewer,
  type CataloguedPolicy,
  type PackedPolicy,
  type PolicyExample,
} from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const logger = new InMemoryLogger();
const reviewer = new RuleReviewer(logger);

function catalogued({ name, spec }: PackedPolicy): CataloguedPolicy {
  return compiled({ metadata: { name }, spec } as Policy);
}

/** Rules of packs are about one stage. */
function stageOf({ spec }: PackedPolicy): PolicyStage {
  return spec.match.stages[0] as PolicyStage;
}

function reviewed(packed: PackedPolicy, example: PolicyExample): PolicyReviewResponse {
  return reviewer.review(exampleRequest(stageOf(packed), example), { policies: [catalogued(packed)] });
}

/** What a rule found, also where it is only tried out. */
function found({ violations, recorded = [] }: PolicyReviewResponse): readonly PolicyViolation[] {
  return [...violations, ...recorded];
}

function rows(kind: 'pass' | 'fail') {
  return packs.flatMap((packed) =>
    packed.examples[kind].map((example, index) => ({
      name: `${packed.name} ${kind} ${index + 1}${example.title ? ` (${example.title})` : ''}`,
      packed,
      example,
    })),
  );
}

describe('the packs', () => {
  it('hold rules for every stage, and each compiles', () => {
    expect(packs.length).toBeGreaterThanOrEqual(120);
    expect(new Set(packs.flatMap(({ spec }) => spec.match.stages))).toEqual(new Set(POLICY_STAGES));
    for (const { spec } of packs) expect(mistakesOf(spec)).toEqual([]);
  });

  it.each(packs.map(({ name, examples, spec }) => ({ name, examples, spec })))(
    'show for $name what passes and what fails, and why',
    ({ examples, spec }) => {
      expect(examples.pass.length).toBeGreaterThan(0);
      expect(examples.fail.length).toBeGreaterThan(0);
      expect(spec.description).toBeDefined();
    },
  );

  it.each(rows('pass'))('$name', ({ packed, example }) => {
    const broken = found(reviewed(packed, example)).map(({ message }) => message);
    expect(broken).toEqual([]);
  });

  it.each(rows('fail'))('$name', ({ packed, example }) => {
    const response = reviewed(packed, example);
    const [violation] = found(response);
    expect(violation).toBeDefined();
    expect(response.allowed).toBe(effectOf(packed.spec.enforcement, packed.spec.level) !== 'deny');
    if (example.message) expect(violation?.message).toBe(example.message);
    expect(violation?.message).not.toMatch(/^Does not satisfy/);
    expect(violation?.field).toBe(example.field ?? violation?.field);
    expect(violation?.field).not.toContain('"');
  });

  it('judge the simulated AWS as they judge AWS', () => {
    const of = (provider: string): string[] =>
      packs
        .filter((packed) => {
          const request = exampleRequest(stageOf(packed), {});
          return matches(packed.spec, { ...request, subject: { ...request.subject, provider } });
        })
        .map(({ name }) => name);
    expect(of('aws').length).toBeGreaterThan(100);
    expect(of('sandbox-aws')).toEqual(of('aws'));
    expect(of('azure')).not.toContain('aws-ssh-not-public');
  });

  it('evaluate every example: only the one that is no JSON at all cannot be', () => {
    expect(logger.lines.map(({ fields }) => fields['policy'])).toEqual(['aws-iam-no-full-admin']);
  });

  it('tell once what the price list does not know of a plan', () => {
    const rule = packs.find(({ name }) => name === 'cost-plan-prices-known') as PackedPolicy;
    const values = { instance_type: 'g5.xlarge', region: 'sa-east-1' };
    const resources = ['aws_instance', 'aws_instance', 'aws_eip'].map((type, index) => ({
      ...{ type, values, name: `r${index}` },
      ...{ actions: ['create'], unknown: {} },
    }));
    const { violations } = reviewed(rule, { resources });
    expect(violations.map(({ field }) => field)).toEqual(['spec.nodePools', 'spec.region']);
  });

  it('accept an ordinary cluster and an ordinary configuration as they are', () => {
    const all = packs.map(catalogued);
    for (const [stage, engine, document] of [
      ['ClusterSpec', 'rke', GOOD_CLUSTER],
      ['EngineConfig', 'rke', GOOD_CONFIG],
      ['EngineConfig', undefined, GOOD_CONFIG],
      ['EngineConfig', 'rke2', GOOD_RKE2_CONFIG],
    ] as const) {
      const subject = { namespace: 'team-a', name: 'demo', ...(engine ? { engine } : {}) };
      const request = { stage, document, subject };
      expect(reviewer.review(request, { policies: all })).toEqual({ allowed: true, violations: [] });
    }
  });
});

describe('the cluster pack and the schema of a Cluster', () => {
  const OLDER = { kubernetes: { version: 'v1.24.17' } };
  let rule: PackedPolicy;
  let accepted: readonly string[];

  beforeAll(() => {
    rule = packs.find(({ name }) => name === 'cluster-version-supported') as PackedPolicy;
    accepted = SUPPORTED_KUBERNETES_VERSIONS.rke.filter(
      (version) => reviewed(rule, { oldSpec: OLDER, spec: { kubernetes: { version } } }).allowed,
    );
  });

  it('agree on the supported versions', () => {
    expect(accepted).toEqual([...SUPPORTED_KUBERNETES_VERSIONS.rke]);
  });

  it('agree that a cluster keeps a version that is supported no more, on each pass as well', () => {
    const given = { oldSpec: OLDER, spec: { ...OLDER, deletionProtection: true } };
    expect(reviewed(rule, given)).toEqual({ allowed: true, violations: [] });
    expect(reviewed(rule, { spec: OLDER })).toEqual({ allowed: true, violations: [] });
  });

  it('agree that none begins with it', () => {
    const request = exampleRequest('ClusterSpec', { spec: OLDER });
    const review = reviewer.review({ ...request, operation: 'CREATE' }, { policies: [catalogued(rule)] });
    expect(review).toMatchObject({ allowed: false });
  });

  it('agree on how many machines a cluster can have', () => {
    const { spec } = packs.find(({ name }) => name === 'cluster-max-nodes') as PackedPolicy;
    expect(spec.params).toEqual({ most: MOST_MACHINES.rke });
  });

  it('agree that the ordinary cluster of the examples is one', () => {
    expect(CLUSTER.body.safeParse({ spec: GOOD_CLUSTER['spec'] }).success).toBe(true);
  });
});
