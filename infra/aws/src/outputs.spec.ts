import { describe, expect, it } from '@jest/globals';
import { readAwsOutputs } from './outputs.js';

const printed = {
  vpc_id: { sensitive: false, type: 'string', value: 'vpc-1' },
  api_host: { sensitive: false, type: 'string', value: 'demo.elb.amazonaws.com' },
  api_port: { sensitive: false, type: 'number', value: 6443 },
  bastion_host: { sensitive: false, type: 'string', value: '198.18.0.1' },
  egress_addresses: { sensitive: false, type: ['tuple', ['string']], value: ['198.18.0.9'] },
  machines: {
    sensitive: false,
    type: ['tuple', []],
    value: [
      {
        name: 'demo-workers-0',
        group: 'workers',
        role: 'worker',
        instance_id: 'i-1',
        private_ip: '10.20.0.7',
        zone: 'us-east-1a',
      },
    ],
  },
};

describe('readAwsOutputs', () => {
  it('reads what Terraform prints', () => {
    expect(readAwsOutputs(printed)).toEqual({
      vpcId: 'vpc-1',
      apiHost: 'demo.elb.amazonaws.com',
      apiPort: 6443,
      bastionHost: '198.18.0.1',
      egressAddresses: ['198.18.0.9'],
      machines: [
        {
          name: 'demo-workers-0',
          group: 'workers',
          role: 'worker',
          instanceId: 'i-1',
          privateIp: '10.20.0.7',
          zone: 'us-east-1a',
        },
      ],
    });
  });

  it('reads a stack that was applied before it said which addresses it leaves by', () => {
    const { egress_addresses: _new, ...older } = printed;
    expect(readAwsOutputs(older)).not.toHaveProperty('egressAddresses');
  });

  it.each([
    { name: 'nothing', reason: 'a stack that was destroyed has no outputs', given: {} },
    {
      name: 'a missing output',
      reason: 'an apply that failed leaves some out',
      given: { ...printed, vpc_id: undefined },
    },
    {
      name: 'an empty value',
      reason: 'an address that is not known yet',
      given: { ...printed, api_host: { value: '' } },
    },
  ])('refuses $name: $reason', ({ given }) => {
    expect(() => readAwsOutputs(given)).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });
});
