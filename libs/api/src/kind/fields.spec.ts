import { describe, expect, it } from '@jest/globals';
import { cidrsOverlap, dnsLabel, ipv4Cidr, parseCidr } from './fields.js';

describe('parseCidr', () => {
  it.each([
    { cidr: '0.0.0.0/0', want: { first: 0, size: 2 ** 32 } },
    { cidr: '10.20.0.0/16', want: { first: 0x0a140000, size: 65_536 } },
    { cidr: '255.255.255.255/32', want: { first: 2 ** 32 - 1, size: 1 } },
    { cidr: '10.20.0.1/16', want: { first: 0x0a140001, size: 65_536 } },
  ])('reads $cidr', ({ cidr, want }) => {
    expect(parseCidr(cidr)).toEqual(want);
  });

  it.each([
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '256.0.0.0/8',
    '10.0.0/8',
    '10.0.0.0/8 ',
    'fd00::/8',
    '10.0.0.0/-1',
    'a.b.c.d/8',
  ])('gives undefined for %j', (cidr) => {
    expect(parseCidr(cidr)).toBeUndefined();
  });
});

describe('cidrsOverlap', () => {
  it.each([
    { left: '10.0.0.0/8', right: '10.42.0.0/16', want: true, reason: 'one holds the other' },
    { left: '10.42.0.0/16', right: '10.42.0.0/16', want: true, reason: 'they are the same' },
    { left: '10.42.0.0/16', right: '10.43.0.0/16', want: false, reason: 'they are neighbours' },
    { left: '0.0.0.0/0', right: '255.255.255.255/32', want: true, reason: 'one is everything' },
    { left: '192.168.0.0/16', right: '10.0.0.0/8', want: false, reason: 'they are far apart' },
    { left: 'nonsense', right: '10.0.0.0/8', want: false, reason: 'one is malformed, which is said elsewhere' },
  ])('is $want for $left and $right: $reason', ({ left, right, want }) => {
    expect([cidrsOverlap(left, right), cidrsOverlap(right, left)]).toEqual([want, want]);
  });
});

describe('ipv4Cidr', () => {
  it('asks for host bits that are zero', () => {
    expect(ipv4Cidr.safeParse('10.20.0.0/16').success).toBe(true);
    expect(ipv4Cidr.safeParse('10.20.0.1/16').error?.issues[0]?.message).toContain('host bits zero');
  });
});

describe('dnsLabel', () => {
  it.each([
    { name: 'a', ok: true },
    { name: 'team-a', ok: true },
    { name: '0', ok: true },
    { name: 'a'.repeat(63), ok: true },
    { name: 'a'.repeat(64), ok: false },
    { name: '', ok: false },
    { name: 'Team', ok: false },
    { name: '-a', ok: false },
    { name: 'a-', ok: false },
    { name: 'a.b', ok: false },
    { name: 'a_b', ok: false },
    { name: 'a\n', ok: false },
  ])('$name is a label: $ok', ({ name, ok }) => {
    expect(dnsLabel.safeParse(name).success).toBe(ok);
  });
});
