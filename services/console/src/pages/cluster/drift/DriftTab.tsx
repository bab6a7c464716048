import type { DriftReport } from '@crate/api';
import { Card, CardBody, CardTitle, Stack, StackItem } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { useLastKnown } from '../../../components/use-last-known.js';
import { useCluster } from '../cluster-context.js';
import { conditionOf } from '../conditions.js';
import { useClusterKey } from '../use-cluster-key.js';
import { decisionUnderWay, isChecking, readDrift } from './drift-report.js';
import { DriftActions, type DriftChoice } from './DriftActions.js';
import { DriftDecision } from './DriftDecision.js';
import { DriftFacts } from './DriftFacts.js';
import { DriftedResources } from './DriftedResources.js';

const LOOK_AGAIN_MS = 2_000;

/** How the cloud differs from what was applied, and what is to become of it. */
export function DriftTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const { metadata, status } = useCluster();
  const [chosen, setChosen] = useState<DriftChoice>();
  const inSync = conditionOf(status?.conditions, 'InSync');
  const isWaiting = (report: DriftReport | undefined): boolean =>
    report !== undefined &&
    (isChecking(report, metadata.annotations) || decisionUnderWay(report, metadata.annotations) !== undefined);
  const {
    data: read,
    error,
    refetch,
  } = useQuery({
    queryKey: ['drift', key, inSync?.lastTransitionTime, inSync?.reason, status?.drift?.digest],
    queryFn: ({ signal }) => readDrift(key, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (isWaiting(state.data) ? LOOK_AGAIN_MS : false),
  });
  const data = useLastKnown(read, `${key.project}/${key.name}`);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  return (
    <Stack hasGutter>
      <StackItem>
        <Card>
          <CardTitle component="h2">{t('drift.title')}</CardTitle>
          <CardBody>
            <Stack hasGutter>
              <DriftFacts report={data} isChecking={isChecking(data, metadata.annotations)} />
              <DriftActions
                report={data}
                underWay={decisionUnderWay(data, metadata.annotations)}
                onChoose={setChosen}
              />
            </Stack>
          </CardBody>
        </Card>
      </StackItem>
      {data.drift && (
        <StackItem>
          <Card>
            <CardTitle component="h2">{t('drift.differs')}</CardTitle>
            <CardBody>
              <DriftedResources drift={data.drift} />
            </CardBody>
          </Card>
        </StackItem>
      )}
      {chosen && <DriftDecision choice={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}
