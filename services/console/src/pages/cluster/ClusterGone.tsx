import type { DeletionRecord } from '@crate/api';
import { EmptyState, EmptyStateBody } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { DeletionProof } from './deletion/DeletionProof.js';
import { useClusterKey } from './use-cluster-key.js';

/** In place of a cluster that is not there: what its deletion proved, when there was one. */
export function ClusterGone(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { data } = useQuery({
    queryKey: ['deletion-records', project],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly DeletionRecord[] }>(collectionPath(KINDS.deletionRecord, project), { signal }),
    staleTime: 0,
  });
  const [newest] = (data?.items ?? [])
    .filter(({ spec }) => spec.cluster.name === name)
    .toSorted((left, right) => right.spec.deletedAt.localeCompare(left.spec.deletedAt));
  return (
    <>
      <EmptyState headingLevel="h2" titleText={t(newest ? 'gone.deleted' : 'gone.title')} status="info">
        <EmptyStateBody>{t(newest ? 'gone.deletedBody' : 'gone.body', { project, name })}</EmptyStateBody>
      </EmptyState>
      {newest && <DeletionProof record={newest} />}
    </>
  );
}
