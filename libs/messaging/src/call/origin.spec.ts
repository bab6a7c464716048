import { describe, expect, it } from '@jest/globals';
import { formatOrigin, parseOrigin } from './origin.js';

describe('the origin of a call', () => {
  it.each([
    { address: '192.0.2.7', userAgent: 'kubectl/v1.33 (linux/amd64)' },
    { address: '2001:db8::1' },
    { userAgent: 'naughty\r\ncrate-token: x, ünïcode 😀' },
  ])('arrives as it was sent: %j', (origin) => {
    const header = formatOrigin(origin);
    expect(header).toMatch(/^[\w-]+$/);
    expect(parseOrigin(header)).toEqual(origin);
  });

  it('is bounded', () => {
    expect(parseOrigin(formatOrigin({ userAgent: 'x'.repeat(100_000) }))?.userAgent).toHaveLength(256);
  });

  it.each([undefined, {}])('is left out when nothing is known: %j', (origin) => {
    expect(formatOrigin(origin)).toBeUndefined();
  });

  it.each(['', 'x', Buffer.from('[1]').toString('base64url'), Buffer.from('null').toString('base64url')])(
    'does not fail a call when it cannot be read: %j',
    (header) => {
      expect(parseOrigin(header) ?? {}).toEqual({});
    },
  );

  it('takes over nothing but what it knows', () => {
    const header = Buffer.from(JSON.stringify({ address: 1, userAgent: 'a', user: 'root' })).toString('base64url');
    expect(parseOrigin(header)).toEqual({ userAgent: 'a' });
  });
});
