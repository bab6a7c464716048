import { useEffect } from 'react';

const CURRENT = '.pf-m-subnav [aria-current="page"], [role="tab"][aria-selected="true"]';

/**
 * Where parts of a page do not fit beside each other, the one that is open is scrolled into view: again whenever there
 * is less room or more, as when the buttons for scrolling come after it was drawn. The page stays where it is: what is
 * wrong stands above the parts.
 */
export function useCurrentInSight(current: string): void {
  useEffect(() => {
    const part = document.querySelector<HTMLElement>(CURRENT);
    const list = part?.closest('ul');
    if (!part || !list) return undefined;
    const show = (): void => list.scrollTo({ left: centreOf(part, list) });
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list);
    return () => observer.disconnect();
  }, [current]);
}

/** How far the list is scrolled when the part is in its middle. */
function centreOf(part: HTMLElement, list: HTMLElement): number {
  const { left, width } = part.getBoundingClientRect();
  return list.scrollLeft + left + width / 2 - list.getBoundingClientRect().left - list.clientWidth / 2;
}
