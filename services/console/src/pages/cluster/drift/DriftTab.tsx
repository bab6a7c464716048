import { Card, CardBody, CardTitle, Stack, StackItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { useCluster } from '../cluster-context.js';
import { decisionUnderWay, isChecking } from './drift-report.js';
import { DriftActions, type DriftChoice } from './DriftActions.js';
import { DriftDecision } from './DriftDecision.js';
import { DriftFacts } from './DriftFacts.js';
import { DriftedResources } from './DriftedResources.js';
import { useDriftReport } from './use-drift-report.js';

/** How the cloud differs from what was applied, and what is to become of it. */
export function DriftTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { annotations } = useCluster().metadata;
  const { report, error, refetch } = useDriftReport();
  const [chosen, setChosen] = useState<DriftChoice>();
  if (error && !report) return <ErrorState error={error} onRetry={refetch} />;
  if (!report) return <LoadingState />;
  return (
    <Stack hasGutter>
      <NotReadAnew error={error} />
      <StackItem>
        <Card>
          <CardTitle component="h2">{t('drift.title')}</CardTitle>
          <CardBody>
            <Stack hasGutter>
              <DriftFacts report={report} isChecking={isChecking(report, annotations)} />
              <DriftActions report={report} underWay={decisionUnderWay(report, annotations)} onChoose={setChosen} />
            </Stack>
          </CardBody>
        </Card>
      </StackItem>
      {report.drift && (
        <StackItem>
          <Card>
            <CardTitle component="h2">{t('drift.differs')}</CardTitle>
            <CardBody>
              <DriftedResources drift={report.drift} />
            </CardBody>
          </Card>
        </StackItem>
      )}
      {chosen && <DriftDecision choice={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}
