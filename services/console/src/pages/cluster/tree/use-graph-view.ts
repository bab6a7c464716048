import { useRef, useState, type ComponentProps, type KeyboardEvent, type MouseEvent, type PointerEvent } from 'react';
import type { GraphPicture, Placed } from './graph-layout.js';
import { rootCause, type TreeNode } from './tree-node.js';

const STEP = 40;
/** A hand that presses is not quite still. */
const STILL = 4;
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

interface Point {
  readonly x: number;
  readonly y: number;
}

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
  /** What the frame is to have: it is moved in by dragging and by the arrow keys. */
  readonly frame: Pick<
    ComponentProps<'svg'>,
    'ref' | 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerLeave' | 'onClickCapture' | 'onKeyDown'
  >;
}

/** The view of a picture; at first what somebody wants to see first is in sight. */
export function useGraphView(picture: GraphPicture, tree: TreeNode): GraphView {
  const [zoom, setZoom] = useState(1);
  const [at, setAt] = useState<Point>(() => ({ x: 0, y: MIDDLE - (beginning(picture, tree)?.y ?? MIDDLE) }));
  const ref = useRef<SVGSVGElement>(null);
  const move = (x: number, y: number): void => setAt((before) => ({ x: before.x + x, y: before.y + y }));
  const dragging = useDragging(move);
  const frame = (): { width: number; height: number } => ({
    width: ref.current?.clientWidth ?? picture.width,
    height: ref.current?.clientHeight ?? picture.height,
  });
  const fit = (): void => {
    const { width, height } = frame();
    setZoom(Math.min(width / picture.width, height / picture.height, 1));
    setAt({ x: 0, y: 0 });
  };
  const zoomBy = (factor: number): void => {
    const { width, height } = frame();
    setZoom(zoom * factor);
    setAt({ x: aroundMiddle(at.x, width, factor), y: aroundMiddle(at.y, height, factor) });
  };
  const look = (to: Direction): void => {
    const { width, height } = frame();
    const [x, y] = WAYS[to];
    move((x * width) / 2, (y * height) / 2);
  };
  const moveByKey = (event: KeyboardEvent): void => {
    const to = KEYS[event.key];
    if (!to) return;
    event.preventDefault();
    const [x, y] = WAYS[to];
    move(x * STEP, y * STEP);
  };
  return {
    transform: `translate(${at.x} ${at.y}) scale(${zoom})`,
    zoomBy,
    look,
    fit,
    frame: { ref, ...dragging, onKeyDown: moveByKey },
  };
}

/** Where a picture is to begin so that what is in the middle of a frame stays there. Pure. */
function aroundMiddle(begin: number, length: number, factor: number): number {
  return length / 2 - (length / 2 - begin) * factor;
}

/** Calls `move` with how far the pointer went while it is down; a drag that ends on a part is no press of it. */
function useDragging(
  move: (x: number, y: number) => void,
): Pick<GraphView['frame'], 'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerLeave' | 'onClickCapture'> {
  const grip = useRef<Point | undefined>(undefined);
  const gone = useRef(0);
  const take = ({ clientX: x, clientY: y }: PointerEvent): void => {
    grip.current = { x, y };
    gone.current = 0;
  };
  const letGo = (): void => {
    grip.current = undefined;
  };
  const drag = (event: PointerEvent): void => {
    if (!grip.current) return;
    const [x, y] = [event.clientX - grip.current.x, event.clientY - grip.current.y];
    move(x, y);
    grip.current = { x: event.clientX, y: event.clientY };
    gone.current += Math.abs(x) + Math.abs(y);
  };
  const press = (event: MouseEvent): void => {
    if (gone.current > STILL) event.stopPropagation();
    gone.current = 0;
  };
  return {
    onPointerDown: take,
    onPointerMove: drag,
    onPointerUp: letGo,
    onPointerLeave: letGo,
    onClickCapture: press,
  };
}

/** What somebody wants to see first: the cause when something is wrong, else the cluster. */
function beginning({ boxes }: GraphPicture, tree: TreeNode): Placed | undefined {
  const cause = rootCause(tree).at(-1);
  return boxes.find(({ node }) => node.id === cause?.id) ?? boxes[0];
}
