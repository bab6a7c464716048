import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { aRule } from '../testing/a-policy.js';
import { RuleReviewer, type DetailedReview, type RulesInForce } from './policy-reviewer.js';
import type { ActiveWaiver } from './waiver.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');

const request: PolicyReviewRequest = {
  stage: 'ClusterSpec',
  operation: 'UPDATE',
  document: { metadata: { name: 'other' }, spec: { region: 'us-east-1', size: 5, zones: ['a', 'b'] } },
  oldDocument: { spec: { size: 3 } },
  subject: { namespace: 'team-a', name: 'other', provider: 'aws' },
  userInfo: { username: 'ada', groups: ['dev'] },
};

describe('the shape of a rule', () => {
  let reviewer: RuleReviewer;

  beforeEach(() => {
    reviewer = new RuleReviewer(new InMemoryLogger(), undefined, () => NOW);
  });

  function reviewed(spec: Partial<PolicySpec>, inForce: Partial<RulesInForce> = {}): DetailedReview {
    return reviewer.reviewInDetail(request, { policies: [aRule('a', spec)], ...inForce });
  }

  const holds = (expression: string): Partial<PolicySpec> => ({ validations: [{ expression }] });

  it.each([
    'object.spec.size == 5 && oldObject.spec.size == 3',
    'request.operation == "UPDATE" && request.stage == "ClusterSpec" && request.project == "team-a" && request.namespace == "team-a"',
    'request.userInfo.username == "ada" && "dev" in request.userInfo.groups',
    'request.kind.group == "lifecycle.crate.dev" && request.kind.kind == "Cluster"',
    'request.provider == "aws" && request.engine == ""',
  ])('sees %s', (expression) => {
    expect(reviewed(holds(expression)).response).toEqual({ allowed: true, violations: [] });
  });

  it('has null for what was not there before', () => {
    const { oldDocument: _, ...created } = request;
    const rule = aRule('a', holds('oldObject == null'));
    expect(reviewer.review(created, { policies: [rule] }).allowed).toBe(true);
  });

  it('has what is deleted as what was there before', () => {
    const rule = aRule('a', {
      ...holds('object == null && oldObject.metadata.name == "other"'),
      match: { stages: ['ClusterSpec'], operations: ['DELETE'] },
    });
    const { oldDocument: _, ...deletion } = { ...request, operation: 'DELETE' as const };
    expect(reviewer.reviewInDetail(deletion, { policies: [rule] }).results).toMatchObject([{ result: 'pass' }]);
  });

  it('knows the namespace of a manifest from its Project', () => {
    const document = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'web' } };
    const match = { stages: ['Manifest' as const] };
    const rule = aRule('a', { ...holds('request.namespace == "web" && request.project == "team-a"'), match });
    expect(reviewer.review({ ...request, stage: 'Manifest', document }, { policies: [rule] }).allowed).toBe(true);
  });

  it('does not apply where a match condition is not met', () => {
    const matchConditions = [
      { name: 'first', expression: 'true' },
      { name: 'second', expression: 'object.spec.region == "eu-central-1"' },
    ];
    const { response, results } = reviewed({ matchConditions });
    expect(response).toEqual({ allowed: true, violations: [] });
    expect(results).toMatchObject([{ policy: 'a', result: 'skip' }]);
  });

  it('says nothing of a rule that is about something else', () => {
    expect(reviewed({ match: { stages: ['ClusterSpec'], projects: ['team-b'] } }).results).toEqual([]);
  });

  it('works variables out once, from those before them, and only when asked for', () => {
    const { response } = reviewed({
      variables: [
        { name: 'zones', expression: 'object.spec.zones' },
        { name: 'count', expression: 'variables.zones.size()' },
        { name: 'fails', expression: 'object.spec.absent' },
      ],
      validations: [
        { expression: 'variables.count > 2', messageExpression: '"has " + string(variables.count) + " zones"' },
      ],
    });
    expect(response.violations.map(({ message }) => message)).toEqual(['has 2 zones']);
  });

  it('tells every validation that fails, with message and field of its own', () => {
    const { response } = reviewed({
      validations: [
        { expression: 'true' },
        { expression: 'object.spec.size < 3', message: 'Too large', field: 'spec.size' },
        {
          forEach: 'object.spec.zones',
          when: 'index > 0',
          expression: 'item == "a"',
          messageExpression: '"Zone " + item',
          fieldExpression: '"spec.zones[" + string(index) + "]"',
        },
        { expression: '1 > 2' },
      ],
    });
    expect(response.violations.map(({ field, message }) => [field, message])).toEqual([
      ['spec', 'Does not satisfy: 1 > 2'],
      ['spec.size', 'Too large'],
      ['spec.zones[1]', 'Zone b'],
    ]);
  });

  it.each(['object.absent', '""'])('falls back to the plain message when %s gives none', (messageExpression) => {
    const validations = [{ expression: 'false', messageExpression, message: 'Plain' }];
    expect(reviewed({ validations }).response.violations[0]?.message).toBe('Plain');
  });

  it('gives audit annotations with the result, but no empty ones', () => {
    const auditAnnotations = [
      { key: 'region', valueExpression: 'object.spec.region' },
      { key: 'none', valueExpression: '""' },
    ];
    expect(reviewed({ auditAnnotations }).results[0]?.auditAnnotations).toEqual({ region: 'us-east-1' });
  });

  it.each([
    ['enforce', 'must', 'deny'],
    ['enforce', 'should', 'warn'],
    ['enforce', 'may', 'inform'],
    ['warn', 'must', 'warn'],
    ['warn', 'may', 'inform'],
    ['dry-run', 'must', 'record'],
  ] as const)('under %s a broken %s leads to %s', (enforcement, level, effect) => {
    const { response } = reviewed({ enforcement, level });
    const violations = effect === 'record' ? response.recorded : response.violations;
    expect(violations).toMatchObject([{ effect }]);
    expect(response.allowed).toBe(effect !== 'deny');
  });

  it('acts in a Project by the first exception that names it, params laid over', () => {
    const { response } = reviewed({
      params: { least: 1, most: 10 },
      exceptions: [
        { projects: ['team-b'], enforcement: 'dry-run' },
        { projects: ['team-*'], enforcement: 'warn', params: { least: 6 } },
        { projects: ['team-a'], enforcement: 'enforce' },
      ],
      validations: [{ expression: 'object.spec.size >= params.least && object.spec.size <= params.most' }],
    });
    expect(response).toMatchObject({ allowed: true, violations: [{ effect: 'warn' }] });
  });

  const waiver: ActiveWaiver = {
    namespace: 'team-a',
    name: 'w',
    policies: ['a'],
    expiresAtMs: NOW + 1,
    authority: 'ProjectAdmin',
  };

  it.each<[string, Partial<ActiveWaiver>, Partial<PolicySpec>, boolean]>([
    ['that names it', {}, {}, true],
    ['of a family of rules', { policies: ['*'] }, {}, true],
    ['of another rule', { policies: ['b'] }, {}, false],
    ['of another Project', { namespace: 'team-b' }, {}, false],
    ['of its cluster', { clusters: ['oth*'] }, {}, true],
    ['of another cluster', { clusters: ['demo'] }, {}, false],
    ['of its field', { fields: ['metadata.*'] }, {}, true],
    ['of another field', { fields: ['spec.region'] }, {}, false],
    ['that has just expired', { expiresAtMs: NOW }, {}, false],
    ['of a rule that nobody may waive', {}, { waivableBy: 'Nobody' }, false],
    ['by a platform administrator of one', { authority: 'PlatformAdmin' }, { waivableBy: 'Nobody' }, false],
    ['of a rule that takes a platform administrator', {}, { waivableBy: 'PlatformAdmin' }, false],
    ['by a platform administrator', { authority: 'PlatformAdmin' }, { waivableBy: 'PlatformAdmin' }, true],
  ])('a waiver %s', (_, over, spec, isWaived) => {
    const { response, results } = reviewed(spec, { waivers: [{ ...waiver, ...over }] });
    expect(response.allowed).toBe(isWaived);
    expect(response.recorded ?? []).toMatchObject(isWaived ? [{ policy: 'a', effect: 'record', waiver: 'w' }] : []);
    expect(results).toMatchObject([{ result: 'fail' }]);
  });

  it('denies again from the instant on at which a waiver ends, and says that it has', () => {
    let now = NOW;
    reviewer = new RuleReviewer(new InMemoryLogger(), undefined, () => now);
    expect(reviewed({}, { waivers: [waiver] }).response.allowed).toBe(true);
    now = waiver.expiresAtMs;
    expect(reviewed({}, { waivers: [waiver] }).response).toMatchObject({
      allowed: false,
      violations: [{ message: 'The name is other (PolicyWaiver w expired on 2026-06-01T00:00:00Z)' }],
    });
    expect(reviewed({}, { waivers: [{ ...waiver, policies: ['b'] }] }).response.violations).toMatchObject([
      { message: 'The name is other' },
    ]);
  });

  it('names the waiver that lasts longest, and of those that have ended the last', () => {
    const longer = { ...waiver, name: 'longer', expiresAtMs: NOW + 2 };
    expect(reviewed({}, { waivers: [waiver, longer, { ...longer, name: 'x' }] }).response.recorded).toMatchObject([
      { waiver: 'longer' },
    ]);
    const ended = [3_000, 1_000, 2_000].map((ago) => ({ ...waiver, name: `w-${ago}`, expiresAtMs: NOW - ago }));
    expect(reviewed({}, { waivers: ended }).response.violations[0]?.message).toContain('w-1000 expired');
  });
});
