import { describe, expect, it } from '@jest/globals';
import { outcomeOfAnswer, outcomeOfError, retryAfterOf } from './http-outcome.js';

const NOW = new Date('2026-11-21T10:00:00Z');

describe('an answer', () => {
  it.each([
    { status: 200, want: 'Delivered' },
    { status: 204, want: 'Delivered' },
    { status: 302, want: 'Failed' },
    { status: 400, want: 'Failed' },
    { status: 401, want: 'Failed' },
    { status: 404, want: 'Failed' },
    { status: 410, want: 'Failed' },
    { status: 408, want: 'Retry' },
    { status: 425, want: 'Retry' },
    { status: 429, want: 'Retry' },
    { status: 500, want: 'Retry' },
    { status: 503, want: 'Retry' },
  ])('of $status means $want', ({ status, want }) => {
    expect(outcomeOfAnswer({ status, text: '' }, NOW)).toMatchObject({ kind: want, httpStatus: status });
  });

  it('is told in words, with what it said, cut', () => {
    const { detail = '' } = outcomeOfAnswer({ status: 404, text: `no\n such ${'x'.repeat(1_000)}` }, NOW);
    expect(detail).toMatch(/^The receiver answered 404: no such x+…$/);
    expect(detail.length).toBeLessThan(350);
    expect(outcomeOfAnswer({ status: 301, location: 'https://x', text: '' }, NOW).detail).toContain('not followed');
  });

  it('says when to come again, in seconds or as a date', () => {
    expect(outcomeOfAnswer({ status: 429, retryAfter: '120', text: '' }, NOW).retryAfterMs).toBe(120_000);
    expect(retryAfterOf('Sat, 21 Nov 2026 10:05:00 GMT', NOW)).toBe(300_000);
    expect(retryAfterOf('Sat, 21 Nov 2026 09:05:00 GMT', NOW)).toBe(0);
    expect(retryAfterOf('9999999999', NOW)).toBe(86_400_000);
    expect(retryAfterOf('soon', NOW)).toBeUndefined();
    expect(outcomeOfAnswer({ status: 404, retryAfter: '120', text: '' }, NOW).retryAfterMs).toBeUndefined();
  });
});

describe('no answer', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'ESOMETHING'])('is tried again: %s', (code) => {
    const error = Object.assign(new Error(`connect ${code} 192.0.2.1:443`), { code });
    expect(outcomeOfError(error)).toMatchObject({ kind: 'Retry', detail: expect.any(String) });
  });

  it('for want of a certificate that is trusted is told in words', () => {
    const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const detail = 'The certificate of the receiver is by nobody that is trusted';
    expect(outcomeOfError(error)).toEqual({ kind: 'Retry', detail });
  });
});
