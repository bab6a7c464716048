import { describe, expect, it } from '@jest/globals';
import { aRule } from '../testing/a-policy.js';
import { judgeAll, type ReviewAtHand } from './judge-all.js';

/** Stands still, as on a machine that is busy with other things. */
function waitFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A review whose first looks at the document wait without a processor, so many of them. */
function reviewThatWaits(times: number, ms: number): { readonly review: ReviewAtHand; readonly looks: () => number } {
  let looks = 0;
  const bindings = {
    get object(): unknown {
      looks += 1;
      if (looks <= times) waitFor(ms);
      return new Map([['a', 1n]]);
    },
  };
  const rules = ['first', 'second', 'third'].map((name) => ({
    rule: aRule(name, { validations: [{ expression: '[object].all(o, o.a == 1)', message: name }] }),
    params: {},
  }));
  return { review: { rules, document: { stage: 'ClusterSpec', bindings } }, looks: () => looks };
}

describe('judgeAll', () => {
  it('judges a rule again that had no processor for its time', () => {
    const { review, looks } = reviewThatWaits(1, 10_000);
    const verdicts = judgeAll([review], { ruleMs: 2_000, reviewMs: 60_000 });
    expect(verdicts).toEqual([
      [{ objections: [] }, { objections: [] }, { objections: [] }].map(expect.objectContaining),
    ]);
    expect(looks()).toBe(4);
  });

  it('waits longer each time for a rule that never has the processor to itself', () => {
    const { review } = reviewThatWaits(1_000, 300);
    const [verdicts] = judgeAll([review], { ruleMs: 200, reviewMs: 60_000 });
    expect(verdicts).toEqual([{ objections: [] }, { objections: [] }, { objections: [] }].map(expect.objectContaining));
  });

  it('ends with the time for the review all the same', () => {
    const { review } = reviewThatWaits(1_000, 10_000);
    const [verdicts] = judgeAll([review], { ruleMs: 200, reviewMs: 500 });
    expect(verdicts).toEqual(Array.from({ length: 3 }, () => ({ error: expect.anything() })));
  });
});
