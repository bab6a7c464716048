import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { doorConfig, networkMatcher } from './door-config.js';

describe('networkMatcher', () => {
  const isTrusted = networkMatcher(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

  it.each([
    { address: '10.9.8.7', want: true },
    { address: '11.0.0.1', want: false },
    { address: '192.0.2.7', want: true },
    { address: '192.0.2.8', want: false },
    { address: '2001:db8:1::1', want: true },
    { address: '2001:db9::1', want: false },
    { address: 'unknown', want: false },
    { address: '', want: false },
  ])('$address: $want', ({ address, want }) => {
    expect(isTrusted(address)).toBe(want);
  });

  it('trusts nobody by default', () => {
    expect(networkMatcher([])('127.0.0.1')).toBe(false);
  });
});

describe('doorConfig', () => {
  it.each(['10.0.0.0/33', 'proxy', '::1/129', '10.0.0.0/'])('refuses %s as a network', (network) => {
    expect(z.object(doorConfig).safeParse({ trustedProxies: [network] }).success).toBe(false);
  });
});
