import { describe, expect, it } from '@jest/globals';
import { AddressGuard } from './address-guard.js';

const guard = new AddressGuard([]);

describe('AddressGuard', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'])(
    'allows %s, which is public',
    (address) => expect(guard.allows(address)).toBe(true),
  );

  it.each([
    { what: 'this machine', addresses: ['127.0.0.1', '127.8.8.8', '0.0.0.0', '::1', '::'] },
    { what: 'a private network', addresses: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12::1'] },
    { what: 'the provider behind a NAT', addresses: ['100.64.0.1', '100.100.100.200'] },
    { what: 'this link, and what clouds tell machines', addresses: ['169.254.169.254', 'fe80::1', 'fd00:ec2::254'] },
    { what: 'the platform of Azure', addresses: ['168.63.129.16'] },
    { what: 'everybody', addresses: ['224.0.0.1', '255.255.255.255', 'ff02::1'] },
    {
      what: 'IPv4 in other clothes',
      addresses: ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a00:1', '64:ff9b::7f00:1'],
    },
    { what: 'tunnels', addresses: ['2002:7f00:1::', '2001:0:1::'] },
    { what: 'documentation', addresses: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'] },
    { what: 'no address', addresses: ['localhost', '', '127.1', 'fe80::1%eth0', '2606:4700::1%eth0'] },
  ])('refuses $what', ({ addresses }) => {
    expect(addresses.filter((address) => guard.allows(address))).toEqual([]);
  });

  it('allows, and trusts, the networks that the configuration names and no others', () => {
    const own = new AddressGuard(['10.1.0.0/16', '::1/128']);
    expect(['10.1.2.3', '::1', '10.2.0.1', '127.0.0.1', '8.8.8.8'].map((each) => own.allows(each))).toEqual([
      ...[true, true, false, false, true],
    ]);
    expect(['10.1.2.3', '8.8.8.8'].map((each) => own.trusts(each))).toEqual([true, false]);
  });
});
