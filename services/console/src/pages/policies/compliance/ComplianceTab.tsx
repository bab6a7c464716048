import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  Content,
  EmptyState,
  EmptyStateBody,
  Progress,
  Stack,
  StackItem,
} from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { ProjectChoice } from '../../../components/subpages/ProjectChoice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { ExportLinks } from '../ExportLinks.js';
import { allOf, percentMet, readCompliance, type Compliance } from './compliance.js';
import { ControlTable } from './ControlTable.js';
import { FrameworkList } from './FrameworkList.js';
import { Trend } from './Trend.js';

const RENEW_MS = 30_000;

/** How the frameworks that rules refer to stand in a Project. */
export function ComplianceTab(): ReactElement {
  return (
    <ProjectChoice>
      {(project, choice) => (
        <Stack hasGutter>
          <StackItem>{choice}</StackItem>
          <ProjectCompliance key={project} project={project} />
        </Stack>
      )}
    </ProjectChoice>
  );
}

function ProjectCompliance({ project }: { readonly project: string }): ReactElement {
  const { t } = useTranslation('policies');
  const { data, error, refetch } = useQuery({
    queryKey: ['compliance', project],
    queryFn: ({ signal }) => readCompliance(project, signal),
    refetchInterval: RENEW_MS,
  });
  if (data) {
    return (
      <>
        <NotReadAnew error={error} />
        <Found project={project} compliance={data} />
      </>
    );
  }
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState headingLevel="h2" titleText={t('compliance.none')}>
        <EmptyStateBody>{t('compliance.noneHelp')}</EmptyStateBody>
      </EmptyState>
    );
  }
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />;
}

function Found({ project, compliance }: { readonly project: string; readonly compliance: Compliance }): ReactElement {
  const { t } = useTranslation('policies');
  const [{ framework }] = useViewState();
  const { summary, frameworks, judgedAt } = compliance;
  const chosen = frameworks.find((each) => each.framework === framework);
  return (
    <>
      <StackItem>
        <Card>
          <CardHeader hasWrap actions={{ actions: <ExportLinks project={project} /> }}>
            <CardTitle component="h2">{t('compliance.rules')}</CardTitle>
          </CardHeader>
          <CardBody>
            <Progress
              aria-label={t('compliance.rules')}
              value={percentMet(summary)}
              label={t('compliance.rulesMet', { pass: summary.pass, all: allOf(summary) })}
            />
            {judgedAt !== undefined && (
              <small>{t('compliance.judged', { when: new Date(judgedAt).toLocaleString() })}</small>
            )}
          </CardBody>
        </Card>
      </StackItem>
      <StackItem>
        <Trend project={project} />
      </StackItem>
      <StackItem>
        <Card>
          <CardTitle component="h2">{t('compliance.frameworks')}</CardTitle>
          <CardBody>
            <Content component="p">{t('compliance.help')}</Content>
            <FrameworkList frameworks={frameworks} />
          </CardBody>
        </Card>
      </StackItem>
      {chosen && (
        <StackItem>
          <ControlTable framework={chosen} project={project} />
        </StackItem>
      )}
    </>
  );
}
