import { Alert } from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Live } from '../api/use-live.js';
import { ErrorState } from './ErrorState.js';
import { LoadingState } from './LoadingState.js';

interface LiveContentProps {
  readonly of: Pick<Live<unknown>, 'liveness' | 'error' | 'retry'>;
  /** Drawn once something is known. */
  readonly children: ReactNode;
}

/** Content that is live, or why it is not: loading, refused, or shown as it last was while the page reconnects. */
export function LiveContent({ of, children }: LiveContentProps): ReactElement {
  const { t } = useTranslation();
  if (of.liveness === 'failed' && of.error) return <ErrorState error={of.error} onRetry={of.retry} />;
  if (of.liveness === 'loading')
    return of.error ? <ErrorState error={of.error} onRetry={of.retry} /> : <LoadingState />;
  return (
    <>
      {of.liveness === 'reconnecting' && (
        <Alert variant="warning" isInline isPlain isLiveRegion title={t('connection.reconnecting')} />
      )}
      {children}
    </>
  );
}
