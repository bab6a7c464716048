import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ComponentType, type ReactElement, type ReactNode } from 'react';
import { ErrorState } from '../components/ErrorState.js';
import { LoadingState } from '../components/LoadingState.js';
import { pageCode } from './page-code.js';
import { isGone, reloadFor } from './reload.js';
import { useRetryOnceBack } from './use-retry-once-back.js';

interface PartOptions {
  /** In its place until its code is there. */
  readonly waiting?: ReactNode;
  /** False where the page holds what somebody typed, and a reload would lose it. */
  readonly mayReload?: boolean;
}

/**
 * A part of a page whose code comes when it is first drawn. Where it cannot be had, that is said in its place, and the
 * rest of the page stays: it is asked for again on demand, and once the platform is back. Where it is gone with another
 * version of the console, the page is loaded anew, once.
 */
export function partOfPage<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { waiting = <LoadingState />, mayReload = true }: PartOptions = {},
): (props: P) => ReactElement {
  const begin = (): ReturnType<typeof lazy<ComponentType<P>>> =>
    lazy(async () => {
      try {
        return { default: await pageCode(load) };
      } catch (error) {
        // React keeps a failure for good: the next try needs another one.
        part = begin();
        if (mayReload && error instanceof Error && isGone(error) && reloadFor(error))
          return new Promise(() => undefined);
        throw error;
      }
    });
  let part = begin();
  function Loaded(props: P): ReactElement {
    const [Part] = useState(() => part as ComponentType<P>);
    return (
      <Suspense fallback={waiting}>
        <Part {...props} />
      </Suspense>
    );
  }
  return function PartOfPage(props: P): ReactElement {
    return (
      <CatchBoundary getResetKey={() => 0} errorComponent={PartError}>
        <Loaded {...props} />
      </CatchBoundary>
    );
  };
}

function PartError({ error, reset }: ErrorComponentProps): ReactElement {
  useRetryOnceBack(reset);
  return <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />;
}
