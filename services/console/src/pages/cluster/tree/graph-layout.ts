import { Graph, layout } from '@dagrejs/dagre';
import { stateOf, type PartState, type TreeNode } from './tree-node.js';

export const BOX = { width: 220, height: 56 } as const;

export interface Placed {
  readonly node: TreeNode;
  readonly state: PartState;
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
}

export interface GraphPicture {
  readonly boxes: readonly Placed[];
  /** Lines from owner to what it owns. */
  readonly lines: readonly {
    readonly id: string;
    readonly points: readonly { readonly x: number; readonly y: number }[];
  }[];
  readonly width: number;
  readonly height: number;
}

/**
 * Where each part is drawn: owners left of what they own. Groups are closed that are well, and open that are not, or the
 * other way around when their turn is in `turns`. Pure.
 */
export function graphPicture(tree: TreeNode, turns: ReadonlySet<string>): GraphPicture {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 60, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const all = add(graph, closed(tree, turns));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    boxes: all.map((node) => {
      const { x = 0, y = 0 } = graph.node(node.id) as { x?: number; y?: number };
      return { node, state: stateOf(node), x, y };
    }),
    lines: graph.edges().map((edge) => ({
      id: `${edge.v}>${edge.w}`,
      points: (graph.edge(edge) as { points: { x: number; y: number }[] }).points,
    })),
  };
}

function add(graph: InstanceType<typeof Graph>, node: TreeNode): readonly TreeNode[] {
  graph.setNode(node.id, { ...BOX });
  return [
    node,
    ...node.children.flatMap((child) => {
      const below = add(graph, child);
      graph.setEdge(node.id, child.id);
      return below;
    }),
  ];
}

/** What somebody asked of a group counts while it stands as it stood then: what becomes worse opens. Pure. */
export function turnOf(id: string, state: PartState): string {
  return `${state} ${id}`;
}

function closed(node: TreeNode, turns: ReadonlySet<string>): TreeNode {
  const state = stateOf(node);
  const isClosed = node.isGroup === true && (state === 'ok') !== turns.has(turnOf(node.id, state));
  // Closed it stands for what is in it.
  if (isClosed) return { ...node, own: state, children: [] };
  return { ...node, children: node.children.map((child) => closed(child, turns)) };
}
