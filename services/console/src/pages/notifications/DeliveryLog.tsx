import type { NotificationChannel, NotificationDelivery } from '@crate/api';
import { Button, EmptyState, EmptyStateBody, Spinner, StackItem, Title } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../components/ErrorState.js';
import { LoadingState } from '../../components/LoadingState.js';
import { NotReadAnew } from '../../components/NotReadAnew.js';
import { Choice } from '../../components/subpages/Choice.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { DeliveryTable } from './DeliveryTable.js';
import { STATES, useDeliveries } from './use-deliveries.js';

const FEW = 50;
const MOST = 500;

/** What was sent and what came of it, the newest first; the filter stands in the URL. */
export function DeliveryLog({ channel }: { readonly channel: NotificationChannel }): ReactElement {
  const { t } = useTranslation('notifications');
  const [{ state, all }, setView] = useViewState();
  const limit = all === undefined ? FEW : MOST;
  const known = STATES.find((each) => each === state);
  const { deliveries, error, isPlaceholderData, refetch } = useDeliveries(channel, { state: known, limit });
  const options = [
    { value: '', text: t('log.all') },
    ...STATES.map((value) => ({ value, text: t(`delivery.${value}`) })),
  ];
  return (
    <>
      <StackItem>
        <Title headingLevel="h2">
          {t('log.title')} {isPlaceholderData && <Spinner size="md" aria-label={t('common:state.loading')} />}
        </Title>
      </StackItem>
      <StackItem>
        <Choice
          label={t('log.state')}
          value={known ?? ''}
          options={options}
          onChange={(chosen) => setView({ state: chosen })}
        />
      </StackItem>
      <StackItem>
        {error && !deliveries ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <>
            <NotReadAnew error={error} />
            <Messages deliveries={deliveries} isFiltered={known !== undefined} />
          </>
        )}
      </StackItem>
      {deliveries?.length === FEW && limit === FEW && (
        <StackItem>
          <Button variant="link" isInline onClick={() => setView({ all: 'true' })}>
            {t('log.more', { count: MOST })}
          </Button>
        </StackItem>
      )}
    </>
  );
}

interface MessagesProps {
  /** Undefined while they are on their way. */
  readonly deliveries: readonly NotificationDelivery[] | undefined;
  readonly isFiltered: boolean;
}

function Messages({ deliveries, isFiltered }: MessagesProps): ReactElement {
  const { t } = useTranslation('notifications');
  if (!deliveries) return <LoadingState />;
  if (deliveries.length > 0) return <DeliveryTable deliveries={deliveries} />;
  return (
    <EmptyState headingLevel="h3" titleText={t(isFiltered ? 'log.noneSo' : 'log.none')}>
      <EmptyStateBody>{t('log.noneHelp')}</EmptyStateBody>
    </EmptyState>
  );
}
