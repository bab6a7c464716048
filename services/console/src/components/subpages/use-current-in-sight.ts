import { useEffect } from 'react';

const CURRENT = '.pf-m-subnav [aria-current="page"], [role="tab"][aria-selected="true"]';

/**
 * Where parts of a page do not fit beside each other, the one that is open is scrolled into view: again whenever there
 * is less room or more, as when the buttons for scrolling come after it was drawn.
 */
export function useCurrentInSight(current: string): void {
  useEffect(() => {
    const part = document.querySelector(CURRENT);
    const list = part?.closest('ul');
    if (!list) return undefined;
    const show = (): void => part?.scrollIntoView({ block: 'nearest', inline: 'center' });
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list);
    return () => observer.disconnect();
  }, [current]);
}
