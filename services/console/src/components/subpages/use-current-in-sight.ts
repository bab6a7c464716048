import { useEffect } from 'react';

const CURRENT = '.pf-m-subnav [aria-current="page"], [role="tab"][aria-selected="true"]';

/** Where parts of a page do not fit beside each other, the one that is open is scrolled into view. */
export function useCurrentInSight(current: string): void {
  useEffect(() => {
    document.querySelector(CURRENT)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
}
