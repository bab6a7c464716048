import { describe, expect, it } from '@jest/globals';
import { POLICY_STAGES, type Policy, type PolicyReviewRequest } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { RuleReviewer } from '../review/policy-reviewer.js';
import { restore } from '../review/judge-all.js';
import { aPolicy, NAMED_DEMO } from '../testing/a-policy.js';
import { catalogued, withMetadataOf } from './catalogued-policy.js';

/** As rules were before they could be about several stages. */
const EARLIER = {
  stage: 'ClusterSpec',
  level: 'must',
  title: 'No clusters in Oregon',
  expression: 'object.spec.region != "us-west-2"',
  message: 'Region us-west-2 is not allowed',
  field: 'spec.region',
  remedy: 'Choose another region',
};

function stored(spec: unknown, name = 'earlier'): Policy {
  return { ...aPolicy(name), spec: spec as Policy['spec'] };
}

function request(over: Partial<PolicyReviewRequest> = {}): PolicyReviewRequest {
  const document = { metadata: { name: 'demo' }, spec: { region: 'eu-central-1' } };
  return { stage: 'ClusterSpec', document, subject: { namespace: 'team-a', name: 'demo' }, ...over };
}

const reviewer = new RuleReviewer(new InMemoryLogger());
const review = (spec: unknown, over: Partial<PolicyReviewRequest> = {}) =>
  reviewer.review(request(over), { policies: [catalogued(stored(spec))] });

describe('a stored rule', () => {
  it('that misses what came later gets its defaults', () => {
    const { exceptions: _exceptions, waivableBy: _waivableBy, ...spec } = NAMED_DEMO;
    expect(catalogued(stored(spec))).toMatchObject({ policy: { spec: NAMED_DEMO } });
    expect(review(spec).allowed).toBe(true);
  });

  it('of the earlier shape denies what it was about, names itself and says how to be rid of it', () => {
    expect(review(EARLIER)).toMatchObject({
      allowed: false,
      violations: [
        {
          policy: 'earlier',
          level: 'must',
          title: 'No clusters in Oregon',
          message: expect.stringMatching(/cannot be read.*spec.match/),
          remedy: expect.stringContaining('kubectl delete policy earlier'),
        },
      ],
    });
    expect(review(EARLIER, { stage: 'Manifest' }).allowed).toBe(true);
    expect(review({ ...EARLIER, level: 'should' })).toMatchObject({ allowed: true, violations: [{ effect: 'warn' }] });
  });

  it.each([
    { name: 'nothing', spec: undefined, denied: POLICY_STAGES },
    { name: 'no level that there is', spec: { ...NAMED_DEMO, level: 'shall' }, denied: ['ClusterSpec'] },
    { name: 'no stage that there is', spec: { ...EARLIER, stage: 'Cluster' }, denied: POLICY_STAGES },
    {
      name: 'another stage besides',
      spec: { ...NAMED_DEMO, match: { stages: ['New', 'Manifest'] } },
      denied: ['Manifest'],
    },
    {
      name: 'another Project',
      spec: { ...NAMED_DEMO, extra: 1, match: { stages: ['Manifest'], projects: ['b'] } },
      denied: [],
    },
    {
      name: 'a part of match that is not read',
      spec: { ...NAMED_DEMO, match: { stages: ['Manifest'], projects: 'b' } },
      denied: ['Manifest'],
    },
    {
      name: 'a trial with exceptions that are not read',
      spec: { ...NAMED_DEMO, enforcement: 'dry-run', exceptions: 1 },
      denied: ['ClusterSpec'],
    },
    { name: 'a trial', spec: { ...NAMED_DEMO, extra: 1, enforcement: 'dry-run' }, denied: [] },
  ])('that says $name denies $denied', ({ spec, denied }) => {
    expect(POLICY_STAGES.filter((stage) => !review(spec, { stage }).allowed)).toEqual(denied);
  });

  it('that cannot be read lets deletions be, unless it may have been about them', () => {
    expect(review(EARLIER, { operation: 'DELETE' }).allowed).toBe(true);
    const match = { stages: ['ClusterSpec'], operations: ['DELETE', 'CONNECT'] };
    expect(review({ ...NAMED_DEMO, match }, { operation: 'DELETE' }).allowed).toBe(false);
  });

  it('that cannot be read is waived by nobody, and does not come to be read by being looked at again', () => {
    const rule = catalogued(stored(EARLIER));
    expect(rule.policy.spec.waivableBy).toBe('Nobody');
    restore({ rule, params: {} }, 'ClusterSpec');
    const again = withMetadataOf(rule, { ...stored(EARLIER), status: { observedGeneration: 1 } });
    expect(again.policy.status?.observedGeneration).toBe(1);
    expect(reviewer.review(request(), { policies: [again] }).allowed).toBe(false);
  });
});
