import { describe, expect, it } from '@jest/globals';
import { TerraformStack } from 'cdktn';
import { RootConstruct } from 'constructs';
import { Images } from './images.js';

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
