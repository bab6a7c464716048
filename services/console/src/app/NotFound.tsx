import { Button, EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** For addresses that lead nowhere. */
export function NotFound(): ReactElement {
  const { t } = useTranslation();
  return (
    <main>
      <EmptyState headingLevel="h1" titleText={t('state.missingTitle')}>
        <EmptyStateBody>{t('state.missingHelp')}</EmptyStateBody>
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button component={(props: object) => <Link to="/" {...props} />} variant="primary">
              {t('state.home')}
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      </EmptyState>
    </main>
  );
}
