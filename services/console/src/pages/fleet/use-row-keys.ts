import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { RowVirtualizer } from './use-virtual-rows.js';

const PAGE_ROWS = 10;

const STEPS: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index) => index + PAGE_ROWS,
  PageUp: (index) => index - PAGE_ROWS,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

/** Row that the keyboard is in, and the keys that move it: arrows, Page Up and Down, Home and End. */
export function useRowKeys(
  body: HTMLElement | null,
  count: number,
): {
  readonly active: number | undefined;
  readonly leave: () => void;
  readonly onKeyDown: (event: KeyboardEvent, virtualizer: RowVirtualizer) => void;
  readonly enter: (index: number) => void;
} {
  const [active, setActive] = useState<number>();
  const goal = useRef<number>(undefined);
  // The row may have to be drawn, or even loaded, before it can have the keyboard.
  useEffect(() => {
    if (goal.current === undefined) return;
    const link = body?.querySelector<HTMLElement>(`tr[data-index="${goal.current}"] a[data-cluster]`);
    if (!link) return;
    link.focus({ preventScroll: true });
    goal.current = undefined;
  });
  return {
    active,
    enter: setActive,
    leave: () => {
      setActive(undefined);
      goal.current = undefined;
    },
    onKeyDown: (event, virtualizer) => {
      const step = STEPS[event.key];
      if (!step || active === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(count - 1, step(active, count)));
      virtualizer.scrollToIndex(next, { align: 'auto' });
      setActive(next);
      goal.current = next;
    },
  };
}

/**
 * True for a press that opens the row's cluster: on its link, or on the row itself; not on anything else to press in it,
 * not at the end of selecting text, and not one by which the browser opens the link elsewhere.
 */
export function opensRow(event: MouseEvent): boolean {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  const pressed = target instanceof Element ? target.closest('a,button') : null;
  const isElsewhere = button !== 0 || ctrlKey || metaKey || shiftKey || altKey;
  if (pressed) return !isElsewhere && pressed.matches('a[data-cluster]');
  return (getSelection()?.toString() ?? '') === '';
}
