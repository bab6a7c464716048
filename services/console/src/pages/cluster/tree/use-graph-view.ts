import { useRef, useState, type ComponentProps, type KeyboardEvent, type MouseEvent, type PointerEvent } from 'react';
import type { GraphPicture, Placed } from './graph-layout.js';
import { rootCause, type TreeNode } from './tree-node.js';

const STEP = 40;
/** A hand that presses is not quite still. */
const STILL = 4;
/** Where the cause, or the cluster itself, is at first, from the top. */
const MIDDLE = 250;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What of a picture is in sight, and how to see another part of it. */
export interface GraphView {
  /** Takes the picture to where it is seen. */
  readonly transform: string;
  readonly zoomBy: (factor: number) => void;
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
  const fit = (): void => {
    const { clientWidth = picture.width, clientHeight = picture.height } = ref.current ?? {};
    setZoom(Math.min(clientWidth / picture.width, clientHeight / picture.height, 1));
    setAt({ x: 0, y: 0 });
  };
  const moveByKey = (event: KeyboardEvent): void => {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    move(...by);
  };
  return {
    transform: `translate(${at.x} ${at.y}) scale(${zoom})`,
    zoomBy: (factor) => setZoom(zoom * factor),
    fit,
    frame: { ref, ...dragging, onKeyDown: moveByKey },
  };
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
