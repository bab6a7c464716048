import { describe, expect, it } from '@jest/globals';
import { severityOf } from './severity.js';

describe('severityOf', () => {
  it.each([
    { reason: 'what goes as it should', given: { type: 'Normal', reason: 'Ready' }, want: 'Info' },
    { reason: 'a word that is bad in a warning alone', given: { type: 'Normal', reason: 'NotReady' }, want: 'Info' },
    { reason: 'what a person has to put right', given: { type: 'Warning', reason: 'QuotaExceeded' }, want: 'Warning' },
    { reason: 'a cluster that was ready', given: { type: 'Warning', reason: 'NotReady' }, want: 'Critical' },
    { reason: 'a state that somebody changed', given: { type: 'Warning', reason: 'StateTampered' }, want: 'Critical' },
    { reason: 'an account that is shut', given: { type: 'Warning', reason: 'AccountBlocked' }, want: 'Critical' },
    {
      reason: 'a cluster that Crate is kept out of',
      given: { type: 'Warning', reason: 'KubeconfigRejected' },
      want: 'Critical',
    },
    { reason: 'an event without words', given: {}, want: 'Info' },
  ])('$reason: $want', ({ given, want }) => {
    expect(severityOf(given)).toBe(want);
  });
});
