import { beforeEach, describe, expect, it } from '@jest/globals';
import { POLICY, type PolicyImpact, type PolicySpec, type PolicyStage } from '@crate/api';
import { aPolicy, aRule, RuleReviewer, type ActiveWaiver } from '@crate/policy-engine';
import type { AdmissionRequest } from '@crate/resource-server';
import { InMemoryLogger } from '@crate/telemetry';
import { InMemoryDocumentRepository } from '../memory/in-memory-document.repository.js';
import { aDraft } from '../memory/document.repository.contract.js';
import { impactWarnings } from './impact-warnings.js';
import type { PolicyChange } from './policy-change.js';
import { PolicyImpactApi } from './policy-impact.api.js';
import { PolicyImpacts } from './policy-impact.js';

const SMALL: Partial<PolicySpec> = {
  validations: [
    {
      expression: 'object.metadata.size < 10',
      messageExpression: "'has ' + string(object.metadata.size)",
      field: 'size',
    },
  ],
};
const CONTEXT = { caller: { user: 'ada', groups: [] }, traceId: '' };
const small = (changes: Partial<PolicySpec> = {}) => aRule('small', { ...SMALL, ...changes });

describe('the impact of a change of a rule', () => {
  let documents: InMemoryDocumentRepository;
  let waivers: ActiveWaiver[];
  let nowMs: number;
  let stepMs: number;
  let impacts: PolicyImpacts;

  beforeEach(async () => {
    documents = new InMemoryDocumentRepository();
    waivers = [];
    nowMs = 0;
    stepMs = 0;
    impacts = new PolicyImpacts({
      documents,
      rules: {
        ensureFresh: () => Promise.resolve(),
        inForce: (_: PolicyStage, namespace) => ({
          policies: [],
          waivers: waivers.filter((waiver) => waiver.namespace === namespace),
        }),
      },
      reviewer: new RuleReviewer(new InMemoryLogger()),
      now: () => (nowMs += stepMs),
    });
    await documents.save([
      aDraft({ name: 'a', cluster: 'a' }, { metadata: { size: 5 } }),
      aDraft({ name: 'b', cluster: 'b' }, { metadata: { size: 50 } }),
      aDraft({ namespace: 'team-b', name: 'c', cluster: 'c' }, { metadata: { size: 500 } }),
    ]);
  });

  const ofChange = (change: PolicyChange): Promise<PolicyImpact> => impacts.of(change, 1000);

  it.each([
    { name: 'a new rule', change: { after: small() }, want: { newlyDenied: 2 } },
    { name: 'none', change: { before: small(), after: small() }, want: {} },
    { name: 'a removed rule', change: { before: small() }, want: { noLonger: 2 } },
    { name: 'a new recommendation', change: { after: small({ level: 'should' }) }, want: { newlyWarned: 2 } },
    {
      name: 'from a recommendation to a duty',
      change: { before: small({ level: 'should' }), after: small() },
      want: { newlyDenied: 2 },
    },
    {
      name: 'from a duty to a recommendation',
      change: { before: small(), after: small({ level: 'should' }) },
      want: { newlyWarned: 2 },
    },
    { name: 'a trial', change: { after: small({ enforcement: 'dry-run' }) }, want: {} },
    {
      name: 'the end of a trial',
      change: { before: small({ enforcement: 'dry-run' }), after: small() },
      want: { newlyDenied: 2 },
    },
    {
      name: 'of one Project',
      change: { after: small({ match: { stages: ['ClusterSpec'], projects: ['team-b'] } }) },
      want: { newlyDenied: 1 },
    },
    { name: 'of another stage', change: { after: small({ match: { stages: ['Manifest'] } }) }, want: {} },
    {
      name: 'a rule that cannot be evaluated',
      change: { after: small({ validations: [{ expression: 'object.nope' }] }) },
      want: { newlyDenied: 3 },
    },
  ])('is told for $name', async ({ change, want }) => {
    const { counts } = await ofChange(change);
    expect(counts).toEqual({ newlyDenied: 0, newlyWarned: 0, noLonger: 0, ...want });
  });

  it('names cluster, field and what is wrong, and counts clusters and Projects', async () => {
    expect(await ofChange({ after: small() })).toMatchObject({
      documents: 3,
      clusters: 2,
      projects: 2,
      incomplete: false,
      newlyDenied: [
        { project: 'team-a', cluster: 'b', stage: 'ClusterSpec', field: 'size', message: 'has 50' },
        { project: 'team-b', cluster: 'c' },
      ],
      summary: 'would newly deny 2 clusters in 2 projects (3 documents judged)',
    });
  });

  it('leaves out what is waived', async () => {
    const waiver = { name: 'w', policies: ['small'], expiresAtMs: Date.now() + 60_000 };
    waivers = [{ ...waiver, namespace: 'team-a', authority: 'ProjectAdmin' }];
    expect((await ofChange({ after: small() })).newlyDenied.map(({ cluster }) => cluster)).toEqual(['c']);
  });

  it.each([
    { name: 'the time is over', step: 600 },
    { name: 'the time was over before the first document', step: 2_000 },
  ])('is cut short after one when $name, and says so', async ({ step }) => {
    stepMs = step;
    const impact = await ofChange({ after: small() });
    expect(impact).toMatchObject({ documents: 1, incomplete: true, summary: expect.stringContaining('time was over') });
  });

  describe('as a warning to whoever writes the rule', () => {
    const write = (changes: Partial<AdmissionRequest> = {}): Promise<readonly string[] | undefined> => {
      const object = aPolicy('small', SMALL);
      const request = { operation: 'CREATE' as const, object, context: CONTEXT, dryRun: true };
      return impactWarnings(
        impacts,
        'system:policy-mgmt',
      )({ ...request, ...changes }).then((result) => result?.warnings);
    };

    it('is given in a dry run, and in earnest', async () => {
      const rest = 'newly deny 2 clusters in 2 projects: team-a/b (size: has 50), team-b/c (size: has 500)';
      expect(await write()).toEqual([`would ${rest}`]);
      expect(await write({ dryRun: false })).toEqual([`will ${rest}`]);
    });

    it('names a few of many', async () => {
      const many = Array.from({ length: 20 }, (_, index) =>
        aDraft({ cluster: `z-${index}` }, { metadata: { size: 99 } }),
      );
      await documents.save(many);
      expect((await write())?.[0]).toMatch(/^would newly deny 22 clusters .* and 17 more$/);
    });

    it.each([
      {
        name: 'the rule stays as it is',
        changes: { operation: 'UPDATE' as const, oldObject: aPolicy('small', SMALL) },
      },
      { name: 'the rule goes', changes: { operation: 'DELETE' as const } },
      {
        name: 'a pack is published',
        changes: { context: { caller: { user: 'system:policy-mgmt', groups: [] }, traceId: '' } },
      },
    ])('is not given when $name', async ({ changes }) => {
      expect(await write(changes)).toBeUndefined();
    });

    it('says nothing where nothing changes', async () => {
      expect(await write({ object: aPolicy('small', { ...SMALL, match: { stages: ['Manifest'] } }) })).toEqual([]);
    });
  });

  describe('as the answer to a PolicyImpactReview', () => {
    const ask = (spec: unknown): Promise<unknown> => {
      const find = (name: string) => Promise.resolve(name === 'small' ? aPolicy('small', SMALL) : undefined);
      const object = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'PolicyImpactReview', metadata: {}, spec };
      return new PolicyImpactApi(impacts, { find }).create(POLICY, object as never, {}).then(({ object }) => object);
    };
    const { spec: policy } = aPolicy('small', SMALL);

    it('is what the same rule written would lead to', async () => {
      expect(await ask({ policy })).toMatchObject({ status: { counts: { newlyDenied: 2 } } });
      expect(await ask({ name: 'small', policy })).toMatchObject({ status: { counts: { newlyDenied: 0 } } });
      expect(await ask({ name: 'small' })).toMatchObject({ status: { counts: { noLonger: 2 } } });
    });

    it.each([
      { spec: {}, code: 'BadRequest', text: 'spec.policy' },
      { spec: { name: 'other' }, code: 'NotFound', text: 'other' },
      { spec: { policy: { title: 'x' } }, code: 'InvalidSpec', text: 'spec.policy.level' },
      {
        spec: { policy: { ...policy, validations: [{ expression: '1 +' }] } },
        code: 'InvalidSpec',
        text: 'spec.policy.validations[0].expression',
      },
    ])('refuses $spec', async ({ spec, code, text }) => {
      await expect(ask(spec)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    });
  });
});
