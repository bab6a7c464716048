import { describe, expect, it } from '@jest/globals';
import { TerraformStack } from 'cdktn';
import { RootConstruct } from 'constructs';
import { architectureOf, Images } from './images.js';

describe('architectureOf', () => {
  it.each([
    { type: 'm5.large', want: 'amd64' },
    { type: 'g4dn.xlarge', want: 'amd64' },
    { type: 'c6i.2xlarge', want: 'amd64' },
    { type: 't3.micro', want: 'amd64' },
    { type: 'm6g.large', want: 'arm64' },
    { type: 'c7gn.xlarge', want: 'arm64' },
    { type: 'r6gd.medium', want: 'arm64' },
    { type: 't4g.small', want: 'arm64' },
  ])('$type has $want', ({ type, want }) => {
    expect(architectureOf(type)).toBe(want);
  });
});

describe('Images', () => {
  it.each([
    ['t3.micro', 'amd64'],
    ['m6g.large', 'arm64'],
  ])('of %s are the newest of Ubuntu 22.04 for %s: those of one day do not stay public', (type, architecture) => {
    const stack = new TerraformStack(new RootConstruct(), 'cluster');
    new Images(stack).idFor(type);
    const { data } = stack.toTerraform() as { data: { aws_ami: Record<string, unknown> } };
    expect(data.aws_ami[`image-${architecture}`]).toMatchObject({
      most_recent: true,
      owners: ['099720109477'],
      filter: [{ name: 'name', values: [`ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-${architecture}-server-*`] }],
    });
  });
});
