import type { Condition, Failure } from '@crate/api';
import { conditionOf } from '../conditions.js';

/** How a part stands; the later ones are graver. */
export const STATES = ['ok', 'gone', 'unknown', 'working', 'warning', 'failing'] as const;

export type PartState = (typeof STATES)[number];

/** A part of a cluster, and what it owns. */
export interface TreeNode {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Its own state, without that of what it owns. */
  readonly own: PartState;
  /** Why, in the words of what reports it. */
  readonly message: string;
  readonly children: readonly TreeNode[];
  /** Stands for several of a kind, and is shown closed while there is room for no more. */
  readonly isGroup?: boolean;
}

/** An object that tells how it stands. */
interface Part {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string | undefined };
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined;
        readonly progress?: { readonly message: string } | undefined;
        readonly failure?: Failure | undefined;
      }
    | undefined;
}

/** A part that is well and owns nothing. Pure. */
export function leaf(kind: string, name: string): TreeNode {
  return { id: `${kind}/${name}`, kind, name, own: 'ok', message: '', children: [] };
}

/** A part as it stands by its own word. Pure. */
export function nodeOf(kind: string, part: Part): TreeNode {
  return { ...leaf(kind, part.metadata.name), ...standing(part) };
}

function standing({ metadata, status }: Part): Pick<TreeNode, 'own' | 'message'> {
  const { failure, progress, conditions } = status ?? {};
  if (failure) return { own: 'failing', message: `${failure.code}: ${failure.message}` };
  const ready = conditionOf(conditions, 'Ready');
  const message = ready?.message ?? '';
  if (metadata.deletionTimestamp !== undefined) return { own: 'working', message };
  if (ready?.status === 'True') return { own: 'ok', message: '' };
  return ready?.status === 'Unknown'
    ? { own: 'unknown', message }
    : { own: 'working', message: progress?.message ?? message };
}

/** The gravest state of a part and of all it owns. Pure. */
export function stateOf({ own, children }: TreeNode): PartState {
  return [own, ...children.map(stateOf)].reduce((left, right) => (rank(right) > rank(left) ? right : left));
}

/**
 * The part because of which a tree stands as it does, with the way to it: the deepest one that is as grave as the whole. Empty when
 * all is well. Pure.
 */
export function rootCause(tree: TreeNode): readonly TreeNode[] {
  const state = stateOf(tree);
  if (rank(state) <= rank('gone')) return [];
  const guilty = tree.children.find((child) => stateOf(child) === state);
  return [tree, ...(guilty ? rootCause(guilty) : [])];
}

function rank(state: PartState): number {
  return STATES.indexOf(state);
}
