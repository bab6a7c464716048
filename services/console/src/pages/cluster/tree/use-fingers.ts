import { useRef, type ComponentProps, type MouseEvent, type PointerEvent } from 'react';

/** A hand that presses is not quite still. */
const STILL = 4;

/** Where something is in a frame. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a frame is to have so that fingers, or a mouse, are felt in it. */
export type Fingers = Pick<
  ComponentProps<'svg'>,
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerLeave' | 'onClickCapture'
>;

/** Says that what was in one place of the frame is in another now, and how much larger. */
type Carry = (from: Point, to: Point, factor: number) => void;

/** Calls `carry` as fingers go that are down: one takes along, two bring nearer, too. A drag that ends on a part is no press of it. */
export function useFingers(carry: Carry): Fingers {
  const down = useRef(new Map<number, Point>());
  const gone = useRef(0);
  const take = (event: PointerEvent<Element>): void => {
    // The end of one that was down before may never have been heard of.
    if (event.isPrimary) down.current.clear();
    down.current.set(event.pointerId, placeOf(event));
    gone.current = 0;
  };
  const letGo = ({ pointerId }: PointerEvent): void => void down.current.delete(pointerId);
  const drag = (event: PointerEvent<Element>): void => {
    const last = down.current.get(event.pointerId);
    if (!last) return;
    const now = placeOf(event);
    const before = gripOf(down.current);
    down.current.set(event.pointerId, now);
    const after = gripOf(down.current);
    carry(before.middle, after.middle, after.apart / before.apart);
    gone.current += Math.abs(now.x - last.x) + Math.abs(now.y - last.y);
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

function placeOf({ clientX, clientY, currentTarget }: PointerEvent<Element>): Point {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** The middle of the first two fingers, and how far apart they are: of one at least as of two that touch. Pure. */
function gripOf(down: ReadonlyMap<number, Point>): { readonly middle: Point; readonly apart: number } {
  const [one = { x: 0, y: 0 }, other = one] = down.values();
  return {
    middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 },
    apart: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)),
  };
}
