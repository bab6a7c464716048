import { describe, expect, it } from '@jest/globals';
import { createReport } from './create.scenario.js';
import { median, rounded } from './scenario.js';

describe('median', () => {
  it.each([
    { values: [3], want: 3 },
    { values: [9, 1, 2], want: 2 },
    { values: [10, 1, 2, 4], want: 3 },
    { values: [], want: NaN },
  ])('of $values is $want', ({ values, want }) => {
    expect(median(values)).toBe(want);
  });
});

describe('rounded', () => {
  it('keeps three decimals', () => {
    expect(rounded(1.23456)).toBe(1.235);
  });
});

describe('createReport', () => {
  it('tells of one cluster how long it took and what share was Terraform', () => {
    expect(createReport('create-one', [4], 1)).toEqual({
      scenario: 'create-one',
      figures: {
        allReady: { value: 4, unit: 's', target: 15, baseline: 1 },
        medianReady: { value: 4, unit: 's' },
        terraformPerCluster: { value: 1, unit: 's' },
        terraformShare: { value: 0.25, unit: 'ratio' },
      },
      pass: true,
    });
  });

  it('passes or fails by the last of many', () => {
    const seconds = [...Array.from({ length: 19 }, () => 20), 151];
    const { figures, pass } = createReport('create-20', seconds, 40);
    expect(figures).toMatchObject({ allReady: { value: 151, target: 150 }, medianReady: { value: 20 } });
    expect(figures['terraformPerCluster']?.value).toBe(2);
    expect(figures['terraformShare']).toBeUndefined();
    expect(pass).toBe(false);
  });
});
