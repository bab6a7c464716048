import { Button, EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core';
import { CubesIcon } from '@patternfly/react-icons';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeading } from '../../components/PageHeading.js';

/** In place of the steps, on a platform that looks after its own cluster: why none is made there, and what to do. */
export function NotMadeHere(): ReactElement {
  const { t } = useTranslation('create');
  return (
    <>
      <PageHeading title={t('title')} />
      <EmptyState headingLevel="h2" titleText={t('notHere.title')} icon={CubesIcon}>
        <EmptyStateBody>
          <p>{t('notHere.why')}</p>
          <p>{t('notHere.remedy')}</p>
        </EmptyStateBody>
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button component={(props: object) => <Link to="/" {...props} />} variant="primary">
              {t('notHere.fleet')}
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      </EmptyState>
    </>
  );
}
