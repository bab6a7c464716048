import type { TerraformFailure } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { failureField } from './failure-field.js';

const base = aSpec('demo');
const spec = {
  ...base,
  machineGroups: [
    ...base.machineGroups,
    { name: 'gpu', role: 'worker' as const, replicas: 1, machineType: 'p4.x', diskGiB: 50 },
  ],
};

function aFailure(code: TerraformFailure['code'], address: string | undefined, message = ''): TerraformFailure {
  return { code, address, message, providerCode: undefined, remedy: '', retryable: true };
}

describe('failureField', () => {
  it.each([
    ['QuotaExceeded', 'aws_instance.demo-control-plane-2', 'spec.controlPlane.replicas'],
    ['QuotaExceeded', 'aws_instance.demo-workers-0', 'spec.nodePools[0].replicas'],
    ['QuotaExceeded', 'aws_instance.demo-gpu-11', 'spec.nodePools[1].replicas'],
    ['QuotaExceeded', 'aws_instance._demo-gpu-0', 'spec.nodePools[1].replicas'],
    ['CapacityUnavailable', 'aws_instance.demo-gpu-0', 'spec.nodePools[1].machineType'],
    ['InvalidInput', 'aws_instance.demo-gpu-0', 'spec.nodePools[1].machineType'],
    ['Timeout', 'aws_instance.demo-gpu-0', undefined],
    ['QuotaExceeded', 'aws_instance.demo-bastion', 'spec.region'],
    ['QuotaExceeded', 'aws_vpc.vpc', 'spec.region'],
    ['InvalidInput', 'aws_vpc.vpc', 'spec.network.vpcCidr'],
    ['QuotaExceeded', 'aws_eip.nat-address-0', 'spec.network.availabilityZones'],
    ['QuotaExceeded', 'aws_lb.api', 'spec.region'],
    ['CredentialsRejected', 'aws_vpc.vpc', 'spec.accountRef.name'],
    ['CredentialsRejected', undefined, 'spec.accountRef.name'],
    ['AccountBlocked', 'aws_eip.nat-address-0', 'spec.accountRef.name'],
    ['AccountPending', 'aws_instance.demo-gpu-0', 'spec.region'],
    ['DiskKeyUnusable', 'aws_instance.demo-gpu-0', 'spec.accountRef.name'],
    ['NotSubscribed', undefined, 'spec.region'],
    ['NotSubscribed', 'aws_lb.api-balancer', 'spec.accountRef.name'],
    ['Protected', 'aws_instance.demo-gpu-0', undefined],
    ['DiskBusy', 'aws_instance.demo-gpu-0', 'spec.nodePools[1].diskGiB'],
    [
      'QuotaExceeded',
      'aws_vpc_security_group_ingress_rule.api-tcp-443-from-10-0-0-0-8',
      'spec.network.loadBalancerPorts',
    ],
    ['TerraformFailed', undefined, undefined],
  ] as const)('%s at %s is %s', (code, address, want) => {
    expect(failureField(aFailure(code, address), spec)).toBe(want);
  });

  it('tells a zone that there is not from a wrong block', () => {
    const said =
      'InvalidParameterValue: Value (us-west-1-has-fewer-than-3-zones-for-this-account) for parameter availabilityZone is invalid';
    const at = (message: string) =>
      failureField(aFailure('InvalidInput', 'aws_subnet.private-subnet-2', message), spec);

    expect(at(said)).toBe('spec.network.availabilityZones');
    expect(at('InvalidSubnet.Range: The CIDR is invalid')).toBe('spec.network.vpcCidr');
  });

  it('tells a wrong disk from a wrong machine type', () => {
    const failure = aFailure(
      'InvalidInput',
      'aws_instance.demo-workers-0',
      'Volume of size 5GB is smaller than snapshot',
    );

    expect(failureField(failure, spec)).toBe('spec.nodePools[0].diskGiB');
  });
});
