import { describe, expect, it } from '@jest/globals';
import { flag } from './exchange.js';

describe('flag', () => {
  it.each([
    { query: '', want: false, reason: 'it is not there' },
    { query: 'watch', want: true, reason: 'it has no value' },
    { query: 'watch=', want: true, reason: 'its value is empty' },
    { query: 'watch=true', want: true, reason: 'it says so' },
    { query: 'watch=True', want: true, reason: 'Python writes it so' },
    { query: 'watch=1', want: true, reason: 'it says so' },
    { query: 'watch=no', want: true, reason: 'only 0 and false are a no, as in Kubernetes' },
    { query: 'watch=false', want: false, reason: 'it says so' },
    { query: 'watch=False', want: false, reason: 'Python writes it so' },
    { query: 'watch=FALSE', want: false, reason: 'case does not matter' },
    { query: 'watch=0', want: false, reason: 'it says so' },
    { query: 'watch=false&watch=true', want: false, reason: 'the first counts' },
  ])('"$query" is $want: $reason', ({ query, want }) => {
    expect(flag(new URLSearchParams(query), 'watch')).toBe(want);
  });
});
