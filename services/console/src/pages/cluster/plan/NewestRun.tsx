import type { RunPlan } from '@crate/api';
import { Card, CardBody, CardTitle, Label, Stack, StackItem } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { useLastKnown } from '../../../components/use-last-known.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { countsText } from './counts-text.js';
import { ResourceChanges } from './ResourceChanges.js';
import { Verdict } from './Verdict.js';

const STATUS = {
  InProgress: 'info',
  NoChanges: 'success',
  Applied: 'success',
  Refused: 'danger',
  Failed: 'danger',
  Interrupted: 'warning',
} as const;

/** What the newest run of Terraform changes, or has changed. */
export function NewestRun(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { status } = useCluster();
  const { data, error, refetch } = useQuery({
    // Asked anew as the work goes on.
    queryKey: ['run-plan', project, name, status?.progress?.message],
    queryFn: ({ signal }) => apiJson<RunPlan>(objectPath(KINDS.cluster, name, project, 'plan'), { signal }),
    retry: false,
    placeholderData: (before) => before,
  });
  const plan = useLastKnown(data, `${project}/${name}`);
  const isNone = error instanceof ApiError && error.status === 404;
  return (
    <Card>
      <CardTitle component="h2">{t('run.title')}</CardTitle>
      <CardBody>
        {isNone && <p>{t('run.none')}</p>}
        {error && !isNone && !plan && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!error && !plan && <LoadingState />}
        {!isNone && plan && (
          <>
            <NotReadAnew error={error} />
            <Run plan={plan} />
          </>
        )}
      </CardBody>
    </Card>
  );
}

function Run({ plan }: { readonly plan: RunPlan }): ReactElement {
  const { t } = useTranslation('cluster');
  const { outcome, counts, run, isCurrent, review, resources, omittedChanges } = plan;
  return (
    <Stack hasGutter>
      <StackItem>
        <Label isCompact status={STATUS[outcome]}>
          {t(`run.outcome.${outcome}`)}
        </Label>{' '}
        {countsText(t, counts)} · {t(`run.purpose.${run.purpose}`)} · {new Date(run.startedAt).toLocaleString()}
      </StackItem>
      {!isCurrent && <StackItem>{t('run.old')}</StackItem>}
      <StackItem>
        <Verdict of={t('consequences.planned')} verdict={review} />
      </StackItem>
      <StackItem>
        <ResourceChanges resources={resources} />
      </StackItem>
      {omittedChanges > 0 && <StackItem>{t('resources.omitted', { count: omittedChanges })}</StackItem>}
    </Stack>
  );
}
