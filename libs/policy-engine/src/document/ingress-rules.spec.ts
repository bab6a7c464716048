import { describe, expect, it } from '@jest/globals';
import { ingressRules } from './ingress-rules.js';
import type { PlannedResource } from './planned-resources.js';

function resource(type: string, values: object, unknown: object = {}, stated = ['ingress']): PlannedResource {
  const common = { address: 'a', type, name: 'a', actions: ['create'], stated };
  return { ...common, values: values as never, unknown: unknown as never };
}

const GROUP = 'aws_security_group';
const SINGLE = 'aws_vpc_security_group_ingress_rule';

describe('ingressRules', () => {
  const rows: { name: string; given: PlannedResource; want: object[] }[] = [
    {
      name: 'a rule of its own',
      given: resource(SINGLE, {
        cidr_ipv4: '10.0.0.0/8',
        cidr_ipv6: null,
        from_port: 22,
        to_port: 23,
        ip_protocol: 'tcp',
      }),
      want: [{ address: 'a', fromPort: 22, toPort: 23, cidrs: ['10.0.0.0/8'], isUnknown: false }],
    },
    {
      name: 'every protocol means every port',
      given: resource(SINGLE, { cidr_ipv6: '::/0', ip_protocol: '-1' }),
      want: [{ address: 'a', fromPort: 0, toPort: 65535, cidrs: ['::/0'], isUnknown: false }],
    },
    {
      name: 'a group with two rules inside',
      given: resource('aws_security_group', {
        ingress: [
          { from_port: 1, to_port: 2, protocol: 'tcp', cidr_blocks: ['10.0.0.0/8'], ipv6_cidr_blocks: ['fd00::/8'] },
          { from_port: 3, to_port: 4, protocol: 'udp', security_groups: ['sg'] },
        ],
      }),
      want: [
        { address: 'a', fromPort: 1, toPort: 2, cidrs: ['10.0.0.0/8', 'fd00::/8'], isUnknown: false },
        { address: 'a', fromPort: 3, toPort: 4, cidrs: [], isUnknown: false },
      ],
    },
    { name: 'the way out', given: resource('aws_security_group_rule', { type: 'egress' }), want: [] },
    { name: 'something else', given: resource('aws_vpc', { cidr_block: '10.0.0.0/8' }), want: [] },
    {
      name: 'an unknown identity of the group does not matter',
      given: resource(SINGLE, { from_port: 1, to_port: 1 }, { security_group_id: true, id: true }),
      want: [{ address: 'a', fromPort: 1, toPort: 1, cidrs: [], isUnknown: false }],
    },
    {
      name: 'a group whose rules are resources of their own',
      given: resource(GROUP, {}, { ingress: true }, ['name', 'vpc_id']),
      want: [],
    },
    {
      name: 'a group that states rules which are known only after apply',
      given: resource(GROUP, {}, { ingress: true }),
      want: [{ address: 'a', fromPort: 0, toPort: 65535, cidrs: [], isUnknown: true }],
    },
    {
      name: 'a group with a rule whose network is not known',
      given: resource(GROUP, {}, { ingress: [{ cidr_blocks: true }] }),
      want: [{ address: 'a', fromPort: 0, toPort: 65535, cidrs: [], isUnknown: true }],
    },
    {
      name: 'an unknown port does',
      given: resource(SINGLE, { cidr_ipv4: '10.0.0.0/8' }, { to_port: true }),
      want: [{ address: 'a', fromPort: 0, toPort: 65535, cidrs: ['10.0.0.0/8'], isUnknown: true }],
    },
  ];

  it.each(rows)('$name', ({ given, want }) => {
    expect(ingressRules([given])).toEqual(want);
  });
});
