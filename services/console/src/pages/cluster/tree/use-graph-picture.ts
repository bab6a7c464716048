import { useMemo, useState } from 'react';
import { graphPicture, type GraphPicture } from './graph-layout.js';
import type { TreeNode } from './tree-node.js';

/** The parts of a tree where they are drawn, and how to open one of their groups, or to close it again. */
export function useGraphPicture(tree: TreeNode): readonly [GraphPicture, toggle: (id: string) => void] {
  // Laid out anew only when parts come, go or change.
  const key = JSON.stringify(tree);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key is the tree
  const picture = useMemo(() => graphPicture(tree, open), [key, open]);
  const toggle = (id: string): void =>
    setOpen(new Set(open.has(id) ? [...open].filter((each) => each !== id) : [...open, id]));
  return [picture, toggle];
}
