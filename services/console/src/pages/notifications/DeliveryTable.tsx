import type { NotificationDelivery, NotificationState } from '@crate/api';
import { ExpandableSection, Label, List, ListItem, type LabelProps } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { AttemptText } from './AttemptText.js';

const COLUMNS = ['when', 'severity', 'object', 'message', 'state'] as const;
const STATUS: Readonly<Record<NotificationState, LabelProps['status']>> = {
  Pending: 'info',
  Delivered: 'success',
  Failed: 'danger',
  Dropped: 'warning',
};

/** Messages with what became of them, and why. */
export function DeliveryTable({ deliveries }: { readonly deliveries: readonly NotificationDelivery[] }): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <Table aria-label={t('log.title')} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          {COLUMNS.map((column) => (
            <Th key={column} modifier="nowrap">
              {t(`log.${column}`)}
            </Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} />
        ))}
      </Tbody>
    </Table>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: NotificationDelivery }): ReactElement {
  const { t } = useTranslation('notifications');
  const { severity, object, reason, message, occurrences, createdAt } = delivery;
  return (
    <Tr>
      <Td dataLabel={t('log.when')} modifier="nowrap">
        <Age since={createdAt} />
      </Td>
      <Td dataLabel={t('log.severity')}>{t(`severity.${severity}`, severity)}</Td>
      <Td dataLabel={t('log.object')} modifier="breakWord" width={20}>
        {object}
      </Td>
      <Td dataLabel={t('log.message')} modifier="breakWord">
        {reason}
        {occurrences > 1 && <> ({t('log.times', { count: occurrences })})</>}
        <br />
        <small>{message}</small>
      </Td>
      <Td dataLabel={t('log.state')} modifier="breakWord">
        <Outcome delivery={delivery} />
      </Td>
    </Tr>
  );
}

/** The last attempt in words; all of them on demand. */
function Outcome({ delivery: { state, attempts, dueAt } }: { readonly delivery: NotificationDelivery }): ReactElement {
  const { t } = useTranslation('notifications');
  const last = attempts.at(-1);
  // One box: on a narrow page each child of a cell would be a cell of its own.
  return (
    <div>
      <Label isCompact status={STATUS[state]}>
        {t(`delivery.${state}`)}
      </Label>{' '}
      {state !== 'Delivered' && last?.detail}
      {state === 'Pending' && dueAt !== undefined && (
        <small> {t('attempt.next', { when: new Date(dueAt).toLocaleString() })}</small>
      )}
      {last && (
        <ExpandableSection toggleText={t('log.attempts', { count: attempts.length })}>
          <List isPlain>
            {attempts.map((attempt) => (
              <ListItem key={attempt.attempt}>
                <AttemptText attempt={attempt} />
              </ListItem>
            ))}
          </List>
        </ExpandableSection>
      )}
    </div>
  );
}
