import { EmptyState, Spinner } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** In place of what is on its way. */
export function LoadingState(): ReactElement {
  const { t } = useTranslation();
  return <EmptyState headingLevel="h2" titleText={t('state.loading')} icon={Spinner} />;
}
