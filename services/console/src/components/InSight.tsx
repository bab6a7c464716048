import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';

interface InSightProps {
  /** What is shown: anew for something else. */
  readonly of: string;
  readonly children: ReactNode;
}

/** Comes into sight when it appears: what a press brings about at another place of a long page would be seen by nobody. */
export function InSight({ of, children }: InSightProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'start' }), [of]);
  return <div ref={place}>{children}</div>;
}
