import { describe, expect, it } from '@jest/globals';
import { graphPicture, turnOf } from './graph-layout.js';
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
const drawn = (...turns: readonly string[]): readonly string[] =>
  graphPicture(tree, new Set(turns)).boxes.map(({ node }) => node.name);

describe('the graph of a cluster', () => {
  it('closes groups that are well, and opens what is the cause', () => {
    expect(drawn()).toEqual(['demo', 'aws_subnet', 'aws_vpc', 'aws_vpc.vpc']);
  });

  it('opens a group that somebody opened', () => {
    expect(drawn(turnOf('Resources/aws_subnet', 'ok'))).toContain('aws_subnet.a');
  });

  it('closes a group that is not well when somebody asks, and does not make it look well by that', () => {
    const { boxes } = graphPicture(tree, new Set([turnOf('Resources/aws_vpc', 'failing')]));
    expect(boxes.map(({ node, state }) => [node.name, state])).toEqual([
      ['demo', 'failing'],
      ['aws_subnet', 'ok'],
      ['aws_vpc', 'failing'],
    ]);
  });

  it('opens a group that is no longer well, whatever was asked while it was', () => {
    expect(drawn(turnOf('Resources/aws_vpc', 'ok'))).toContain('aws_vpc.vpc');
  });
});
