import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, type RefObject } from 'react';

/** Path of the first page: where that begins the browser says, however often its heading is another one. */
let first: string | undefined;
let isElsewhere = false;

/**
 * For the heading of a page. Where the focus went with the page before, it is there: otherwise nothing would tell who
 * reads by ear that this is another page.
 */
export function useArrival(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const router = useRouter();
  useEffect(() => {
    const { pathname } = router.state.location;
    first ??= pathname;
    isElsewhere ||= pathname !== first;
    if (isElsewhere && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [router]);
  return heading;
}
