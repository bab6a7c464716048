import { useMemo, useState } from 'react';
import { graphPicture, turnOf, type GraphPicture, type Placed } from './graph-layout.js';
import type { TreeNode } from './tree-node.js';

/** The parts of a tree where they are drawn, and how to open one of their groups, or to close it again. */
export function useGraphPicture(tree: TreeNode): readonly [GraphPicture, toggle: (group: Placed) => void] {
  // Laid out anew only when parts come, go or change.
  const key = JSON.stringify(tree);
  const [turns, setTurns] = useState<ReadonlySet<string>>(new Set());
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key is the tree
  const picture = useMemo(() => graphPicture(tree, turns), [key, turns]);
  const toggle = ({ node, state }: Placed): void => {
    const turn = turnOf(node.id, state);
    setTurns(new Set(turns.has(turn) ? [...turns].filter((each) => each !== turn) : [...turns, turn]));
  };
  return [picture, toggle];
}
