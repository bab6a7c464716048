import type { Component, PlatformProblem } from '@crate/api';
import { Alert, AlertGroup, Card, CardBody, CardTitle } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { takenBack } from './components/component-view.js';
import { TakenBackAlert } from './components/TakenBackAlert.js';

/** What somebody should do something about, the worst first; a change is read out. */
export function ProblemsCard({ problems }: { readonly problems: readonly PlatformProblem[] }): ReactElement {
  const { t } = useTranslation('platform');
  // All is well with what runs; that something else was asked for is not done with it.
  const back = takenBack(useLiveList<Component>(KINDS.component).items);
  return (
    <Card>
      <CardTitle component="h2">{t('problems.title')}</CardTitle>
      <CardBody>
        <AlertGroup isLiveRegion aria-label={t('problems.title')}>
          {problems.length + back.length === 0 && (
            <Alert isInline isPlain variant="success" title={t('problems.none')} component="h3" />
          )}
          {problems.map(({ severity, subject, message, remedy, area }) => (
            <Alert
              key={`${area}/${subject}/${message}`}
              isInline
              variant={severity === 'critical' ? 'danger' : 'warning'}
              title={`${subject}: ${message}`}
              component="h3"
            >
              {remedy}
            </Alert>
          ))}
          {back.map((view) => (
            <TakenBackAlert key={`back/${view.name}`} view={view} />
          ))}
        </AlertGroup>
      </CardBody>
    </Card>
  );
}
