import { describe, expect, it } from '@jest/globals';
import type { TerraformRunState } from '../terraform-run/terraform-run.repository.js';
import { isDoubtful } from './doubt.js';

const begunAt = new Date('2026-03-01T12:00:00Z');
const OVER = { begunAt, isOpen: false };
const before = (state: TerraformRunState) => ({ state, startedAt: new Date('2026-03-01T11:00:00Z') });
const after = (state: TerraformRunState) => ({ state, startedAt: new Date('2026-03-01T13:00:00Z') });

describe('isDoubtful', () => {
  it.each([
    { reason: 'the memory was never set back', setBack: undefined, last: before('failed'), want: false },
    { reason: 'nobody has confirmed yet', setBack: { begunAt, isOpen: true }, last: after('failed'), want: true },
    {
      reason: 'the last run that is known may not have been the last',
      setBack: OVER,
      last: before('failed'),
      want: true,
    },
    { reason: 'no run is known, and there may have been some', setBack: OVER, last: undefined, want: true },
    {
      reason: 'a machine without a place is left as it is by a run that worked',
      setBack: OVER,
      last: after('succeeded'),
      want: true,
    },
    {
      reason: 'a run since has failed: the next one looks for what it left',
      setBack: OVER,
      last: after('failed'),
      want: false,
    },
  ])('is $want: $reason', ({ setBack, last, want }) => {
    expect(isDoubtful(setBack, last)).toBe(want);
  });
});
