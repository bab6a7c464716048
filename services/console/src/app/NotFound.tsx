import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  PageSection,
} from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeading } from '../components/PageHeading.js';

/** For addresses that lead nowhere. */
export function NotFound(): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <PageHeading title={t('state.missingTitle')} />
      <PageSection isFilled aria-label={t('state.missingTitle')}>
        <EmptyState headingLevel="h2" titleText={t('state.missingPage')}>
          <EmptyStateBody>{t('state.missingHelp')}</EmptyStateBody>
          <EmptyStateFooter>
            <EmptyStateActions>
              <Button component={(props: object) => <Link to="/" {...props} />} variant="primary">
                {t('state.home')}
              </Button>
            </EmptyStateActions>
          </EmptyStateFooter>
        </EmptyState>
      </PageSection>
    </>
  );
}
