import { Script } from 'node:vm';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CataloguedPolicy } from '../rule/catalogued-policy.js';
import { aRule } from '../testing/a-policy.js';
import type { ReviewLimits } from './judge-all.js';
import { RuleReviewer } from './policy-reviewer.js';
import { RememberedJudgements } from './remembered-judgements.js';
import { ReviewQueue } from './review-queue.js';

const RUNAWAY =
  'object.spec.list.all(a, object.spec.list.all(b, object.spec.list.all(c, object.spec.list.all(d, a + b + c + d >= 0))))';
const LIST = Array.from({ length: 500 }, (_, index) => index);

function request(name: string, list: readonly number[] = []): PolicyReviewRequest {
  const document = { metadata: { name }, spec: { list } };
  return { stage: 'ClusterSpec', document, subject: { namespace: 'team-a', name } };
}

function rule(name: string, expression: string, spec: Partial<PolicySpec> = {}): CataloguedPolicy {
  return aRule(name, { ...spec, validations: [{ expression, message: name }] });
}

describe('ReviewQueue', () => {
  let logger: InMemoryLogger;
  let reviewer: RuleReviewer;
  let queue: ReviewQueue;

  beforeEach(() => {
    logger = new InMemoryLogger();
    reviewer = new RuleReviewer(logger, { ruleMs: 200, reviewMs: 600_000 });
    queue = new ReviewQueue(reviewer);
  });

  it('gives to each who asks at once the verdict on their document, by their rules', async () => {
    const named = rule('named', 'object.metadata.name == params.name', { params: { name: 'a' } });
    const excepted = rule('named', 'object.metadata.name == params.name', {
      params: { name: 'a' },
      exceptions: [{ projects: ['team-a'], params: { name: 'b' } }],
    });
    const asked = [
      { request: request('a'), policies: [named] },
      { request: request('a'), policies: [] },
      { request: request('b'), policies: [named, rule('never', 'false')] },
      { request: request('b'), policies: [excepted] },
      { request: request('a'), policies: [named] },
    ];
    const together = await Promise.all(asked.map(({ request: one, policies }) => queue.review(one, { policies })));
    expect(together.map(({ response }) => response.violations.map(({ message }) => message))).toEqual([
      [],
      [],
      ['named', 'never'],
      [],
      [],
    ]);
    expect(together).toEqual(asked.map(({ request: one, policies }) => reviewer.reviewInDetail(one, { policies })));
  });

  it('judges everybody else rightly when a rule in their midst runs away', async () => {
    const policies = [rule('before', 'true'), rule('runaway', RUNAWAY), rule('after', 'object.metadata.name != "b"')];
    const asked = [request('a'), request('b', LIST), request('c'), request('b')];
    const verdicts = await Promise.all(asked.map((one) => queue.review(one, { policies })));
    expect(verdicts.map(({ results }) => results.map(({ result }) => result))).toEqual([
      ['pass', 'pass', 'pass'],
      ['pass', 'error', 'fail'],
      ['pass', 'pass', 'pass'],
      ['pass', 'pass', 'fail'],
    ]);
    expect(verdicts[1]?.response.violations.map(({ message }) => message)).toEqual([
      'after',
      expect.stringContaining('longer than 200 ms'),
    ]);
  });

  it('lets others have their turn when it takes long, and forgets nobody', async () => {
    const policies = [rule('long', 'object.spec.list.all(a, object.spec.list.all(b, a + b >= 0))')];
    const order: string[] = [];
    const asked = Array.from({ length: 3 }, async (_, index) => {
      await queue.review(request(`c-${index}`, LIST), { policies });
      order.push('review');
    });
    setImmediate(() => setImmediate(() => order.push('other')));
    await Promise.all(asked);
    expect(order.filter((each) => each === 'review')).toHaveLength(3);
    expect(order.slice(0, -1)).toContain('other');
  });

  it('starts no clock for what cannot take long, and still bounds what can, large documents included', async () => {
    const clock = jest.spyOn(Script.prototype, 'runInContext');
    const remembering = new RuleReviewer(logger, undefined, undefined, new RememberedJudgements());
    queue = new ReviewQueue(remembering);
    const short = rule('short', 'size(object.metadata.name) < 2');
    const long = rule('long', 'object.spec.list.all(a, a >= 0)');
    const clocksFor = async (asked: PolicyReviewRequest, ...policies: readonly CataloguedPolicy[]): Promise<number> => {
      clock.mockClear();
      const { results } = await queue.review(asked, { policies });
      expect(results.map(({ result }) => result)).not.toContain('error');
      return clock.mock.calls.length;
    };
    try {
      expect(await clocksFor(request('a', [1]), short, long)).toBe(1);
      // Another name, and the same list: what goes over the list is known.
      expect(await clocksFor(request('b', [1]), short, long)).toBe(0);
      expect(await clocksFor(request('c', [2]), short, long)).toBe(1);
      const named = 'object.metadata.name.matches(params.pattern)';
      const [linear, other] = ['^[a-z]+(-[a-z]+)*$', '^([a-z]+-?)*$'];
      expect(await clocksFor(request('e'), rule('linear', named, { params: { pattern: linear } }))).toBe(0);
      expect(await clocksFor(request('e'), rule('other', named, { params: { pattern: other } }))).toBe(1);
      expect(
        await clocksFor(
          request(
            'd',
            Array.from({ length: 20_000 }, () => 1),
          ),
          short,
        ),
      ).toBe(1);
    } finally {
      clock.mockRestore();
    }
  });

  it('refuses what cannot be made ready, and nothing beside it', async () => {
    const broken = { ...request('a'), stage: 'TerraformPlan', document: null } as unknown as PolicyReviewRequest;
    const both = await Promise.allSettled([
      queue.review(broken, { policies: [] }),
      queue.review(request('a'), { policies: [] }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('RuleReviewer.reviewSome', () => {
  const policies = [rule('before', 'true'), rule('runaway', RUNAWAY), rule('after', 'object.metadata.name != "b"')];
  const asked = [request('a'), request('b', LIST), request('c'), request('b')];

  function resultsOf(limits: ReviewLimits, rules: readonly CataloguedPolicy[], requests = asked): string[][] {
    const reviewer = new RuleReviewer(new InMemoryLogger(), limits);
    const reviews = requests.map((one) => reviewer.prepared(one, { policies: rules }));
    return reviewer.reviewSome(reviews).map(({ results }) => results.map(({ result }) => result));
  }

  it('goes on behind a rule that ran away', () => {
    expect(resultsOf({ ruleMs: 200, reviewMs: 30_000 }, policies)).toEqual([
      ['pass', 'pass', 'pass'],
      ['pass', 'error', 'fail'],
      ['pass', 'pass', 'pass'],
      ['pass', 'pass', 'fail'],
    ]);
  });

  it('begins the time of a review when its turn comes', () => {
    const runaways = [1, 2, 3].map((number) => rule(`runaway-${number}`, RUNAWAY));
    const requests = [request('a', LIST), request('b'), request('c')];
    expect(resultsOf({ ruleMs: 200, reviewMs: 500 }, runaways, requests)).toEqual([
      ['error', 'error', 'error'],
      ['pass', 'pass', 'pass'],
      ['pass', 'pass', 'pass'],
    ]);
  });
});
