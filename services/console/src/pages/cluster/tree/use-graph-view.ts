import { useRef, useState, type ComponentProps, type KeyboardEvent } from 'react';
import type { GraphPicture, Placed } from './graph-layout.js';
import { rootCause, type TreeNode } from './tree-node.js';
import { useFingers, type Fingers, type Point } from './use-fingers.js';

const STEP = 40;
/** Where the cause, or the cluster itself, is at first, from the top. */
const MIDDLE = 250;

/** Which way the picture goes for what is there to come into sight. */
const WAYS = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] } as const;
const KEYS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export type Direction = keyof typeof WAYS;

const ORIGIN: Point = { x: 0, y: 0 };

/** What of a picture is in sight, and how to see another part of it. */
export interface GraphView {
  /** Takes the picture to where it is seen. */
  readonly transform: string;
  /** Nearer or further; what is in the middle stays there. */
  readonly zoomBy: (factor: number) => void;
  /** Brings into sight what is there, by half of the frame. */
  readonly look: (to: Direction) => void;
  /** Shows all of it. */
  readonly fit: () => void;
  /** What the frame is to have: it is moved in by dragging and by the arrow keys, and nearer and further by two fingers. */
  readonly frame: Fingers & Pick<ComponentProps<'svg'>, 'ref' | 'onKeyDown'>;
}

/** The view of a picture; at first what somebody wants to see first is in sight. */
export function useGraphView(picture: GraphPicture, tree: TreeNode): GraphView {
  const [{ zoom, x, y }, setView] = useState(() => ({
    zoom: 1,
    x: 0,
    y: MIDDLE - (beginning(picture, tree)?.y ?? MIDDLE),
  }));
  const ref = useRef<SVGSVGElement>(null);
  /** Takes what is in one place of the frame to another one, and makes it larger or smaller around it. */
  const carry = (from: Point, to: Point, factor = 1): void =>
    setView((before) => ({
      zoom: before.zoom * factor,
      x: to.x - (from.x - before.x) * factor,
      y: to.y - (from.y - before.y) * factor,
    }));
  const fingers = useFingers(carry);
  const frame = (): { width: number; height: number } => ({
    width: ref.current?.clientWidth ?? picture.width,
    height: ref.current?.clientHeight ?? picture.height,
  });
  const fit = (): void => {
    const { width, height } = frame();
    setView({ ...ORIGIN, zoom: Math.min(width / picture.width, height / picture.height, 1) });
  };
  const zoomBy = (factor: number): void => {
    const { width, height } = frame();
    const middle = { x: width / 2, y: height / 2 };
    carry(middle, middle, factor);
  };
  const look = (to: Direction): void => {
    const { width, height } = frame();
    const [right, down] = WAYS[to];
    carry(ORIGIN, { x: (right * width) / 2, y: (down * height) / 2 });
  };
  const moveByKey = (event: KeyboardEvent): void => {
    const to = KEYS[event.key];
    if (!to) return;
    event.preventDefault();
    const [right, down] = WAYS[to];
    carry(ORIGIN, { x: right * STEP, y: down * STEP });
  };
  return {
    transform: `translate(${x} ${y}) scale(${zoom})`,
    zoomBy,
    look,
    fit,
    frame: { ref, ...fingers, onKeyDown: moveByKey },
  };
}

/** What somebody wants to see first: the cause when something is wrong, else the cluster. */
function beginning({ boxes }: GraphPicture, tree: TreeNode): Placed | undefined {
  const cause = rootCause(tree).at(-1);
  return boxes.find(({ node }) => node.id === cause?.id) ?? boxes[0];
}
