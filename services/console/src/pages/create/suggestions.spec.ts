import { describe, expect, it } from '@jest/globals';
import { suggestionsOf } from './suggestions.js';

const KNOWN = ['m5.large', 'm5.xlarge', 'c5.large'];

describe('suggestions', () => {
  it.each([
    { reason: 'all that is known without a list', allowed: undefined, want: KNOWN },
    { reason: 'nothing where nothing is allowed', allowed: [], want: [] },
    {
      reason: 'what stands on the list, known or not',
      allowed: ['c5.large', 'r5.large'],
      want: ['c5.large', 'r5.large'],
    },
    { reason: 'what a pattern allows, and not the pattern', allowed: ['m5.*'], want: ['m5.large', 'm5.xlarge'] },
    { reason: 'each once', allowed: ['*', 'm5.xlarge'], want: ['m5.xlarge', 'm5.large', 'c5.large'] },
  ])('are $reason', ({ allowed, want }) => expect(suggestionsOf(allowed, KNOWN)).toEqual(want));
});
