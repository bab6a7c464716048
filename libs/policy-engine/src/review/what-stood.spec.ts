import { describe, expect, it, jest } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { aRule } from '../testing/a-policy.js';
import { RuleReviewer } from './policy-reviewer.js';

type Spec = Readonly<Record<string, unknown>>;

const PRIVILEGED = { securityContext: { privileged: true } };

function pod(spec: Spec, metadata: Spec = {}): Record<string, unknown> {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', ...metadata }, spec };
}

function named(names: string, more: Spec = PRIVILEGED): Spec {
  return { containers: names.split(' ').map((name) => ({ name, ...more })) };
}

function update(from: object, to: object, more: Partial<PolicyReviewRequest> = {}): PolicyReviewRequest {
  const documents = { document: to, oldDocument: from } as Pick<PolicyReviewRequest, 'document' | 'oldDocument'>;
  return { stage: 'Manifest', operation: 'UPDATE', ...documents, subject: SUBJECT, ...more };
}

const SUBJECT = { namespace: 'team-a', name: 'web', cluster: 'demo' };

const VALIDATION: PolicySpec['validations'][number] = {
  forEach: 'containers',
  expression: '!item.container.?securityContext.?privileged.orValue(false)',
  messageExpression: '"Container " + item.container.name + " is privileged"',
  fieldExpression: 'item.field + ".securityContext.privileged"',
};

const SPEC = { match: { stages: ['Manifest' as const] }, validations: [VALIDATION], remedy: 'Leave it out' };

function reviewed(request: PolicyReviewRequest, over: Partial<PolicySpec> = {}): readonly string[] {
  const spec = { ...SPEC, ...over };
  const reviewer = new RuleReviewer(new InMemoryLogger(), { ruleMs: 1_000, reviewMs: 60_000 });
  const { response, results } = reviewer.reviewInDetail(request, { policies: [aRule('privileged', spec)] });
  const { violations } = response;
  expect(new Set(results.flatMap((result) => result.violations))).toEqual(new Set(violations));
  expect(response.allowed).toBe(!violations.some(({ effect }) => effect === 'deny'));
  return violations.map(({ effect, message }) => `${effect}: ${message}`);
}

const stood = (name: string): string => `warn: Container ${name} is privileged (as it was before)`;
const denied = (name: string): string => `deny: Container ${name} is privileged`;

describe('an update of a manifest', () => {
  it.each([
    { name: 'a finalizer is taken off', from: pod(named('app'), { finalizers: ['a/b'] }), to: pod(named('app')) },
    { name: 'a label is set', from: pod(named('app')), to: pod(named('app'), { labels: { a: 'b' } }) },
    { name: 'something else changes', from: pod(named('app')), to: pod({ ...named('app'), nodeName: 'n1' }) },
    { name: 'one of two is mended', from: pod(named('first app')), to: pod(named('app')) },
  ])('is warned of what stood before: $name', ({ from, to }) => {
    expect(reviewed(update(from, to))).toEqual([stood('app')]);
  });

  it('is denied what it adds', () => {
    expect(reviewed(update(pod(named('app')), pod(named('app more'))))).toEqual([stood('app'), denied('more')]);
    expect(reviewed(update(pod(named('app', {})), pod(named('app'))))).toEqual([denied('app')]);
  });

  it('is denied more of the same words', () => {
    const { messageExpression: _, ...same } = VALIDATION;
    const validations = [{ ...same, message: 'Privileged' }];
    expect(reviewed(update(pod(named('a')), pod(named('a b'))), { validations })).toEqual([
      'warn: Privileged (as it was before)',
      'deny: Privileged',
    ]);
  });

  const DOZEN = 'a b c d e f g h i j k l';

  it('is denied what it adds behind more than are told one by one', () => {
    const messages = reviewed(update(pod(named(DOZEN)), pod(named(DOZEN.replace('l', 'more')))));
    expect(messages.filter((message) => message.startsWith('deny'))).toEqual([denied('more')]);
    expect(messages).toContain('warn: Container j is privileged (as it was before) (and 1 more)');
  });

  it.each(['a', 'f', 'l'])('is warned of what is left of more than are told one by one, without %s', (gone) => {
    const fewer = DOZEN.split(' ').filter((name) => name !== gone);
    const messages = reviewed(update(pod(named(DOZEN)), pod(named(fewer.join(' ')))));
    expect(messages).toHaveLength(10);
    expect(messages.filter((message) => !message.startsWith('warn'))).toEqual([]);
  });

  it('is denied what is behind more than are looked at one by one', () => {
    const many = Array.from({ length: 1_002 }, (_, index) => `c${index}`).join(' ');
    const messages = reviewed(update(pod(named(many)), pod(named(many.replace('c1001', 'more')))));
    expect(messages).toContain('deny: Container c0 is privileged (and 1 more)');
  });

  it.each<{ name: string; over: Partial<PolicySpec> }>([
    { name: 'changes', over: { match: { stages: ['Manifest'], operations: ['UPDATE'] } } },
    { name: 'operations', over: { matchConditions: [{ name: 'o', expression: 'request.operation == "UPDATE"' }] } },
    { name: 'who asks', over: { matchConditions: [{ name: 'w', expression: 'request.userInfo.username != "root"' }] } },
    { name: 'what was there', over: { matchConditions: [{ name: 'b', expression: 'oldObject != null' }] } },
    { name: 'nothing that can be evaluated', over: { validations: [{ expression: 'object.spec.nothing == 1' }] } },
  ])('is denied by a rule about $name', ({ over }) => {
    const [first] = reviewed(update(pod(named('app')), pod(named('app'), { labels: { a: 'b' } })), over);
    expect(first).toMatch(/^deny: /);
  });

  it('is denied when the time for the review is over before it is known what stood', () => {
    let clockMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => clockMs);
    // Asked for the time when the update is judged and what was there is not.
    const slowly = (): number => (clockMs += 5_000);
    const reviewer = new RuleReviewer(new InMemoryLogger(), { ruleMs: 1_000, reviewMs: 4_000 }, slowly);
    const request = update(pod(named('app')), pod(named('app'), { labels: { a: 'b' } }));
    const { allowed } = reviewer.review(request, { policies: [aRule('privileged', SPEC)] });
    jest.restoreAllMocks();
    expect(allowed).toBe(false);
  });

  it('is denied where nobody says what was there, and at other stages', () => {
    const { oldDocument: _, ...unknown } = update(pod(named('app')), pod(named('app')));
    expect(reviewed(unknown)).toEqual([denied('app')]);
    const match = { stages: ['ClusterSpec' as const] };
    const validations = [{ expression: 'false', message: 'No' }];
    const cluster = update({ spec: {} }, { spec: {} }, { stage: 'ClusterSpec' });
    expect(reviewed(cluster, { match, validations })).toEqual(['deny: No']);
  });
});
