import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { aPolicy, readPacks, RuleReviewer } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { evaluatePolicy } from './policy.evaluation.js';
import { policyExamples } from './policy.examples.js';

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const reviewer = new RuleReviewer(new InMemoryLogger());

const TWO = aPolicy('r', {
  match: { stages: ['ClusterSpec'], projects: ['prod-*'] },
  validations: [{ expression: 'object.spec.controlPlane.replicas > 1', field: 'spec.controlPlane.replicas' }],
});

function cluster(replicas: number): Record<string, unknown> {
  return { metadata: { name: 'demo', namespace: 'prod-a' }, spec: { controlPlane: { replicas } } };
}

describe('what a rule makes of a document', () => {
  it('is for each document that a pack ships what the pack says', () => {
    const wrong = packs.flatMap(({ name, spec, examples }) => {
      const policy = { metadata: { name }, spec } as Policy;
      const { items } = policyExamples(policy, examples);
      return items.flatMap(({ expected, title: _title, field: _field, message: _message, ...asked }, index) => {
        const { result } = evaluatePolicy(policy, asked, reviewer);
        const isAsSaid =
          expected === 'fail' ? result === 'fail' || result === 'error' : result !== 'fail' && result !== 'error';
        return isAsSaid ? [] : [`${name} ${index}: ${result}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('names the field, and the values that decided', () => {
    expect(evaluatePolicy(TWO, { document: cluster(1) }, reviewer)).toMatchObject({
      result: 'fail',
      violations: [{ field: 'spec.controlPlane.replicas' }],
      reasons: [{ place: 'validations[0]', values: expect.arrayContaining([expect.objectContaining({ shown: '1' })]) }],
    });
  });

  it.each([
    { reason: 'a document that it accepts', asked: { document: cluster(3) }, want: 'pass' },
    { reason: 'another Project', asked: { document: cluster(1), project: 'test-a' }, want: 'unmatched' },
    { reason: 'another stage', asked: { document: cluster(1), stage: 'Manifest' }, want: 'unmatched' },
  ])('is $want for $reason', ({ asked, want }) => {
    expect(evaluatePolicy(TWO, asked, reviewer)).toMatchObject({ result: want, violations: [] });
  });

  it('goes by the engine that a Cluster names, unless another is said', () => {
    const document = { metadata: { name: 'demo', namespace: 'prod-a' }, spec: { kubernetes: { engine: 'existing' } } };
    const existing = aPolicy('r', {
      match: { stages: ['ClusterSpec'], engines: ['existing'] },
      validations: [{ expression: 'request.engine == "existing"' }],
    });
    expect(evaluatePolicy(TWO, { document }, reviewer).result).toBe('unmatched');
    expect(evaluatePolicy(existing, { document }, reviewer).result).toBe('pass');
    expect(evaluatePolicy(existing, { document, engine: 'rke' }, reviewer).result).toBe('unmatched');
  });

  it('says why the rule is not about it', () => {
    const { mismatches } = evaluatePolicy(TWO, { document: cluster(1), project: 'test-a' }, reviewer);
    expect(mismatches.join()).toContain('test-a');
  });

  it('is judged with the defaults that the API fills in', () => {
    const policy = aPolicy('r', {
      match: { stages: ['ClusterSpec'] },
      validations: [{ expression: 'object.spec.paused == false', field: 'spec.paused' }],
    });
    const spec = { accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' } };
    const document = {
      metadata: { name: 'demo' },
      spec: { ...spec, controlPlane: { replicas: 1, machineType: 'm5.large' } },
    };
    expect(evaluatePolicy(policy, { document }, reviewer).result).toBe('pass');
  });

  it.each([{ document: 'text' }, {}, { document: {}, stage: 'Nonsense' }, { document: {}, more: 1 }])(
    'is not asked with %j',
    (body) => {
      expect(() => evaluatePolicy(TWO, body, reviewer)).toThrow(expect.objectContaining({ code: 'InvalidSpec' }));
    },
  );
});

describe('the examples of a rule', () => {
  it('are none where no pack ships any', () => {
    expect(policyExamples(TWO, undefined).items).toEqual([]);
  });

  it('are whole documents, first those that it objects to', () => {
    const shipped = {
      pass: [{ spec: { region: 'eu-central-1' } }],
      fail: [{ spec: { region: 'us-east-1' }, field: 'spec.region' }],
    };
    const { items } = policyExamples(TWO, shipped);
    expect(items).toMatchObject([
      {
        expected: 'fail',
        stage: 'ClusterSpec',
        field: 'spec.region',
        document: { kind: 'Cluster', spec: { region: 'us-east-1' } },
      },
      { expected: 'pass', document: { spec: { region: 'eu-central-1' } } },
    ]);
  });
});
