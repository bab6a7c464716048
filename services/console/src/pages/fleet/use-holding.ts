import { useEffect, useMemo, useRef } from 'react';
import type { FleetFeed } from './fleet-feed.js';

/** A pointer that rests is not aiming any more. */
const RESTING_MS = 5_000;
const GONE_MS = 800;

/** Handlers of what is held while somebody aims at it. */
export interface Holding {
  readonly onPointerMove: () => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** Rows stay in place while the pointer moves over them or the keyboard is in them, and a moment longer. */
export function useHolding(feed: FleetFeed): Holding {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hasFocus = useRef(false);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      // What is drawn next of this feed has nobody aiming at it.
      hasFocus.current = false;
      feed.settle();
    },
    [feed],
  );
  return useMemo(() => {
    const settleIn = (ms: number): void => {
      clearTimeout(timer.current);
      if (!hasFocus.current) timer.current = setTimeout(() => feed.settle(), ms);
    };
    return {
      onPointerMove: () => {
        feed.hold();
        settleIn(RESTING_MS);
      },
      onPointerLeave: () => settleIn(GONE_MS),
      onFocus: () => {
        hasFocus.current = true;
        clearTimeout(timer.current);
        feed.hold();
      },
      onBlur: () => {
        hasFocus.current = false;
        settleIn(GONE_MS);
      },
    };
  }, [feed]);
}
