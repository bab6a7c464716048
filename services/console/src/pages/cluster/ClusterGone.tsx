import type { DeletionRecord } from '@crate/api';
import { EmptyState, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { useLastKnown } from '../../components/use-last-known.js';
import { DeletionProof, presentOf } from './deletion/DeletionProof.js';
import { useClusterKey } from './use-cluster-key.js';

/** How often records are read anew while something that one names is still there, or they could not be read. */
const LOOK_AGAIN_MS = 30_000;

/** In place of a cluster that is not there: what its deletion proved, when there was one. */
export function ClusterGone(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { data, error, isFetchedAfterMount, refetch } = useQuery({
    queryKey: ['deletion-records', project, name],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly DeletionRecord[] }>(collectionPath(KINDS.deletionRecord, project), { signal }),
    staleTime: 0,
    // What was left behind may go later: the platform looks for it, and this page for what it found. A refusal may pass.
    refetchInterval: ({ state: { status, data: known } }) =>
      status === 'error' || (known?.items ?? []).some((record) => presentOf(record) !== 0) ? LOOK_AGAIN_MS : false,
  });
  const problem = useLastKnown(error ?? undefined, `${project}/${name}`);
  const [newest] = (data?.items ?? [])
    .filter(({ spec }) => spec.cluster.name === name)
    .toSorted((left, right) => right.spec.deletedAt.localeCompare(left.spec.deletedAt));
  const isAnswered = data !== undefined && isFetchedAfterMount && !error;
  if (!newest && !isAnswered)
    return problem ? <ErrorState error={problem} onRetry={() => void refetch()} /> : <LoadingState />;
  return (
    <>
      <EmptyState headingLevel="h2" titleText={t(newest ? 'gone.deleted' : 'gone.title')} status="info">
        <EmptyStateBody>{t(newest ? 'gone.deletedBody' : 'gone.body', { project, name })}</EmptyStateBody>
        <EmptyStateFooter>
          <Link to="/">{t('common:state.home')}</Link>
        </EmptyStateFooter>
      </EmptyState>
      {newest && <DeletionProof record={newest} />}
    </>
  );
}
