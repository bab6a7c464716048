import { Banner } from '@patternfly/react-core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { onUnreachable } from '../api/http.js';
import { Age } from '../components/Age.js';
import { LIVE_QUERY } from './live-query.js';

const BACK_MS = 3000;

/** Says when the platform is out of reach, since when, and that it is back. */
export function ConnectionBanner(): ReactElement | null {
  const { t } = useTranslation();
  const { isError, dataUpdatedAt } = useQuery(LIVE_QUERY);
  useLookAtOnce();
  const isBack = useBackAgain(isError);
  return (
    <div role="status">
      {isError && (
        <Banner color="red">
          {t('connection.offline')} {dataUpdatedAt > 0 && <Age since={new Date(dataUpdatedAt).toISOString()} />}
        </Banner>
      )}
      {isBack && <Banner color="green">{t('connection.back')}</Banner>}
    </div>
  );
}

/** Looks as soon as any request of the page had no answer, and not only when it is time again. */
function useLookAtOnce(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onUnreachable(() => {
        const { status, fetchStatus } = client.getQueryState(LIVE_QUERY.queryKey) ?? {};
        if (status === 'success' && fetchStatus === 'idle')
          void client.invalidateQueries({ queryKey: LIVE_QUERY.queryKey });
      }),
    [client],
  );
}

/** True for a moment after something failed and works again. */
function useBackAgain(isFailing: boolean): boolean {
  const [state, setState] = useState<'fine' | 'failing' | 'back'>('fine');
  if (isFailing && state !== 'failing') setState('failing');
  if (!isFailing && state === 'failing') setState('back');
  useEffect(() => {
    if (state !== 'back') return undefined;
    const timer = setTimeout(() => setState('fine'), BACK_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return state === 'back';
}
