import { describe, expect, it } from '@jest/globals';
import { withKept } from './kept-attributes.js';

const document = {
  provider: { aws: [{ region: 'us-east-1' }] },
  resource: {
    aws_vpc: { vpc: { cidr_block: 'a' }, other: { cidr_block: 'b' } },
    aws_instance: { a: { lifecycle: { ignore_changes: ['ami'] } } },
  },
};

describe('withKept', () => {
  it('changes nothing where nothing is kept', () => {
    expect(withKept(document, [])).toBe(document);
  });

  it.each([
    { path: 'enable_dns_support', want: ['enable_dns_support'] },
    { path: 'tags.team', want: ['tags["team"]', 'tags_all["team"]'] },
    {
      path: 'tags.kubernetes.io/cluster/demo',
      want: ['tags["kubernetes.io/cluster/demo"]', 'tags_all["kubernetes.io/cluster/demo"]'],
    },
    { path: 'labels.a"b', want: ['labels["a\\"b"]'] },
    { path: 'labels.${x}', want: ['labels["$${x}"]'] },
    { path: 'root_block_device[0].volume_size', want: ['root_block_device[0].volume_size'] },
    { path: 'root_block_device[0].tags.Name', want: ['root_block_device[0].tags'] },
  ])('has Terraform ignore $path', ({ path, want }) => {
    const kept = withKept(document, [{ address: 'aws_vpc.vpc', path }]);
    expect(kept).toMatchObject({
      provider: document.provider,
      resource: {
        aws_vpc: { vpc: { cidr_block: 'a', lifecycle: { ignore_changes: want } }, other: { cidr_block: 'b' } },
      },
    });
    expect(document.resource.aws_vpc.vpc).toEqual({ cidr_block: 'a' });
  });

  it('adds to what is ignored already', () => {
    const kept = [
      { address: 'aws_instance.a', path: 'ami' },
      { address: 'aws_instance.a', path: 'monitoring' },
      { address: 'aws_instance.gone', path: 'x' },
    ];
    expect(withKept(document, kept)['resource']).toMatchObject({
      aws_instance: { a: { lifecycle: { ignore_changes: ['ami', 'monitoring'] } } },
    });
  });
});
