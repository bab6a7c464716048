import { describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest, PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { traceRule } from './rule-trace.js';
import { RuleReviewer } from '../review/policy-reviewer.js';
import { aRule } from '../testing/a-policy.js';
import { RuleCoverage, type CoverageReport } from './rule-coverage.js';

const TWO_PARTS: Partial<PolicySpec> = {
  match: { stages: ['ClusterSpec'], projects: ['team-*'] },
  validations: [
    { expression: 'object.spec.replicas > 1', message: 'few' },
    { forEach: 'object.spec.pools', expression: 'item.size > 1', message: 'small' },
  ],
};
const BAN: Partial<PolicySpec> = {
  match: { stages: ['Manifest'] },
  validations: [{ forEach: 'object.spec.bad', expression: ' false ', message: 'bad' }],
};

function request(spec: object, further: Partial<PolicyReviewRequest> = {}): PolicyReviewRequest {
  const subject = { namespace: 'team-a', name: 'demo' };
  return { stage: 'ClusterSpec', document: { spec }, subject, ...further };
}

function covered(spec: Partial<PolicySpec>, requests: readonly PolicyReviewRequest[]): CoverageReport {
  const rule = aRule('rule', spec);
  const coverage = new RuleCoverage([rule]);
  const reviewer = new RuleReviewer(new InMemoryLogger());
  for (const each of requests) {
    const [result] = reviewer.reviewInDetail(each, { policies: [rule] }).results;
    coverage.add('rule', result?.result ?? 'unmatched', traceRule(rule, each));
  }
  return coverage.report();
}

const [GOOD, FEW, SMALL, NO_POOLS] = [
  request({ replicas: 3, pools: [{ size: 3 }] }),
  request({ replicas: 1, pools: [{ size: 3 }] }),
  request({ replicas: 3, pools: [{ size: 1 }] }),
  request({ replicas: 3, pools: [] }),
] as const;
const ELSEWHERE = request({ replicas: 1, pools: [] }, { subject: { namespace: 'prod', name: 'demo' } });

describe('RuleCoverage', () => {
  it.each([
    { name: 'everything', given: [GOOD, FEW, SMALL], reached: 6, gaps: [] },
    { name: 'no test at all', given: [], reached: 0, gaps: ['never matched'] },
    { name: 'another Project only', given: [ELSEWHERE], reached: 0, gaps: ['never matched'] },
    { name: 'a pass only', given: [GOOD], reached: 3, gaps: ['never seen to fail'] },
    { name: 'a list that was once empty', given: [NO_POOLS, FEW, SMALL], reached: 6, gaps: [] },
    { name: 'one validation that never failed', given: [GOOD, FEW], reached: 5, gaps: ['1 never seen to fail'] },
    {
      name: 'one that never held',
      given: [NO_POOLS, SMALL],
      reached: 4,
      gaps: ['0 never seen to fail', '1 never seen to pass'],
    },
  ])('$name', ({ given, reached, gaps }) => {
    const report = covered(TWO_PARTS, given);
    expect(
      report.gaps.map(({ validation, gap }) => [validation, gap].filter((part) => part !== undefined).join(' ')),
    ).toEqual(gaps);
    expect(report).toMatchObject({ goals: 6, reached, percent: Math.floor((100 * reached) / 6) });
  });

  it('a ban is seen to pass where there is nothing to object to', () => {
    const documents = [{ bad: [] }, { bad: [1] }].map((spec) => request(spec, { stage: 'Manifest' }));
    expect(covered(BAN, documents)).toEqual({ goals: 4, reached: 4, percent: 100, gaps: [] });
  });

  it('a rule that cannot be evaluated was seen neither to pass nor to fail', () => {
    const { gaps } = covered(BAN, [request({}, { stage: 'Manifest' })]);
    expect(gaps.map(({ gap }) => gap)).toContain('never seen to pass');
    expect(gaps.map(({ gap }) => gap)).toContain('never seen to fail');
  });
});
