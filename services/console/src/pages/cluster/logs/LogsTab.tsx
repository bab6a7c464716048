import { Alert, EmptyState } from '@patternfly/react-core';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { PrintedInView } from '../../../components/PrintedInView.js';
import { useCluster } from '../cluster-context.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { LogToolbar } from './LogToolbar.js';
import { LogView } from './LogView.js';
import { matchesOf, runsOf } from './log-line.js';
import { useLog, type KnownLog } from './use-log.js';

/** What Terraform and the engine print, as they do. */
export function LogsTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { state, lines, dropped, error, resume } = useLog(useCluster());
  const [{ q: query = '' }, setView] = useViewState();
  const [isFollowing, setFollowing] = useState(true);
  // Counted from the first line that ever came: of a long log the first go while somebody reads.
  const [{ marked, asked }, setPlace] = useState({ marked: -1, asked: 0 });
  const at = Math.max(-1, marked - dropped);
  const matches = useMemo(() => matchesOf(lines, query), [lines, query]);
  const runs = useMemo(() => runsOf(lines), [lines]);
  const goTo = (index: number): void => {
    setFollowing(false);
    setPlace({ marked: index + dropped, asked: asked + 1 });
  };
  const reconnecting = state === 'reconnecting' && (
    <Alert variant="warning" isInline isPlain isLiveRegion title={t('common:connection.reconnecting')} />
  );
  // Before anything was read, nobody knows whether there is anything.
  if (error && lines.length === 0) {
    return (
      <>
        {reconnecting}
        <ErrorState error={error} {...(state === 'failed' ? { onRetry: resume } : {})} />
      </>
    );
  }
  if (state === 'loading') return <LoadingState />;
  return (
    <>
      <LogToolbar
        query={query}
        onQuery={(text) => setView({ q: text === '' ? undefined : text })}
        matches={matches}
        line={lines[at]?.text}
        at={at}
        asked={asked}
        onGo={goTo}
        runs={runs}
        isFollowing={isFollowing}
        onFollowing={setFollowing}
      />
      {reconnecting}
      {state === 'failed' && error && <NotReadAnew error={error} />}
      {lines.length === 0 ? (
        <EmptyState headingLevel="h2" titleText={t('logs.none')} />
      ) : (
        <>
          <PrintedInView />
          <LogView
            lines={lines}
            dropped={dropped}
            query={query}
            marked={marked}
            asked={asked}
            isFollowing={isFollowing}
            onLeaveEnd={() => setFollowing(false)}
          />
        </>
      )}
      <LogState state={state} count={lines.length} />
    </>
  );
}

/** How many lines there are, and whether more may come. */
function LogState({ state, count }: Pick<KnownLog, 'state'> & { readonly count: number }): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <p role="status">
      {state !== 'failed' && t(state === 'complete' ? 'logs.complete' : 'logs.following')} {t('logs.lines', { count })}
    </p>
  );
}
