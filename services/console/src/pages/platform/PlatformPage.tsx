import type { PlatformSummary } from '@crate/api';
import { Alert, Content, PageSection, Stack, StackItem } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { PageHeading } from '../../components/PageHeading.js';
import platform from '../../i18n/en/platform.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { PlatformDetails } from './PlatformDetails.js';
import { ServiceStates } from './ServicesCard.js';
import { StateLabel } from './StateLabel.js';
import { usePlatformStatus } from './use-platform-status.js';

addStrings('platform', platform);

/** How the platform itself is; those who do not run it see whether its services are well. */
export function PlatformPage(): ReactElement {
  const { t } = useTranslation('platform');
  const { data, error, refetch, dataUpdatedAt } = usePlatformStatus();
  return (
    <>
      <PageHeading
        title={t('title')}
        subtitle={t('subtitle')}
        labels={<span role="status">{data && <StateLabel state={data.health} />}</span>}
      />
      <PageSection isFilled aria-label={t('title')}>
        {!data && !error && <LoadingState />}
        {!data && error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data && error && (
          <Alert variant="warning" isInline isLiveRegion title={t('stale', { message: error.message })} component="h2">
            {t('asOf')} <Age since={new Date(dataUpdatedAt).toISOString()} />
          </Alert>
        )}
        {data?.detail === 'full' && <PlatformDetails status={data} />}
        {data?.detail === 'summary' && <Summary summary={data} />}
      </PageSection>
    </>
  );
}

function Summary({ summary }: { readonly summary: PlatformSummary }): ReactElement {
  const { t } = useTranslation('platform');
  return (
    <Stack hasGutter>
      <StackItem>
        <Content component="p">{t('notAdminHelp', { version: summary.version })}</Content>
        <Link to="/">{t('toFleet')}</Link>
      </StackItem>
      <StackItem>
        <ServiceStates services={summary.services} />
      </StackItem>
    </Stack>
  );
}
