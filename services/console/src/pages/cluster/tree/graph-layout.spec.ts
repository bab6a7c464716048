import { describe, expect, it } from '@jest/globals';
import { graphPicture } from './graph-layout.js';
import { leaf, type TreeNode } from './tree-node.js';

const group = (name: string, child: TreeNode): TreeNode => ({
  ...leaf('Resources', name),
  isGroup: true,
  children: [child],
});
const tree: TreeNode = {
  ...leaf('Cluster', 'demo'),
  children: [
    group('aws_subnet', leaf('Resource', 'aws_subnet.a')),
    group('aws_vpc', { ...leaf('Resource', 'aws_vpc.vpc'), own: 'failing', message: 'missing' }),
  ],
};
const drawn = (open: readonly string[]): readonly string[] =>
  graphPicture(tree, new Set(open)).boxes.map(({ node }) => node.name);

describe('the graph of a cluster', () => {
  it('closes groups that are well, and opens what is the cause', () => {
    expect(drawn([])).toEqual(['demo', 'aws_subnet', 'aws_vpc', 'aws_vpc.vpc']);
  });

  it('opens a group that somebody opened', () => {
    expect(drawn(['Resources/aws_subnet'])).toContain('aws_subnet.a');
  });
});
