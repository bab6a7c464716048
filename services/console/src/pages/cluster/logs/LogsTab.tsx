import { Alert, EmptyState } from '@patternfly/react-core';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { useCluster } from '../cluster-context.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { LogToolbar } from './LogToolbar.js';
import { LogView } from './LogView.js';
import { matchesOf, runsOf } from './log-line.js';
import { useLog } from './use-log.js';

/** What Terraform and the engine print, as they do. */
export function LogsTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { state, lines, error } = useLog(useCluster());
  const [{ q: query = '' }, setView] = useViewState();
  const [isFollowing, setFollowing] = useState(true);
  const [at, setAt] = useState(-1);
  const matches = useMemo(() => matchesOf(lines, query), [lines, query]);
  const runs = useMemo(() => runsOf(lines), [lines]);
  const goTo = (index: number): void => {
    setFollowing(false);
    setAt(index);
  };
  if (state === 'failed' && error) return <ErrorState error={error} />;
  if (state === 'loading') return <LoadingState />;
  return (
    <>
      <LogToolbar
        query={query}
        onQuery={(text) => setView({ q: text === '' ? undefined : text })}
        matches={matches}
        at={at}
        onGo={goTo}
        runs={runs}
        isFollowing={isFollowing}
        onFollowing={setFollowing}
      />
      {state === 'reconnecting' && (
        <Alert variant="warning" isInline isPlain isLiveRegion title={t('common:connection.reconnecting')} />
      )}
      {lines.length === 0 ? (
        <EmptyState headingLevel="h2" titleText={t('logs.none')} />
      ) : (
        <LogView lines={lines} query={query} at={at} isFollowing={isFollowing} onLeaveEnd={() => setFollowing(false)} />
      )}
      <p role="status">
        {t(state === 'complete' ? 'logs.complete' : 'logs.following')} {t('logs.lines', { count: lines.length })}
      </p>
    </>
  );
}
