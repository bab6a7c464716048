import type { NotificationChannel } from '@crate/api';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { LastDelivery, Receiver } from './ChannelFacts.js';
import { ChannelStateLabel } from './ChannelStateLabel.js';

const COLUMNS = ['name', 'to', 'severities', 'state', 'pending', 'failed', 'last'] as const;

/** Channels by name. */
export function ChannelTable({ channels }: { readonly channels: readonly NotificationChannel[] }): ReactElement {
  const { t } = useTranslation('notifications');
  const sorted = channels.toSorted((left, right) => left.metadata.name.localeCompare(right.metadata.name));
  return (
    <Table aria-label={t('title')} variant="compact" gridBreakPoint="grid-xl">
      <Thead>
        <Tr>
          {COLUMNS.map((column) => (
            <Th key={column}>{t(`col.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {sorted.map((channel) => (
          <ChannelRow key={channel.metadata.name} channel={channel} />
        ))}
      </Tbody>
    </Table>
  );
}

function ChannelRow({ channel }: { readonly channel: NotificationChannel }): ReactElement {
  const { t } = useTranslation('notifications');
  const { metadata, spec, status } = channel;
  const { name, namespace: project = '' } = metadata;
  return (
    <Tr>
      <Td dataLabel={t('col.name')}>
        <Link to="/notifications/$project/$channel" params={{ project, channel: name }}>
          {name}
        </Link>
      </Td>
      <Td dataLabel={t('col.to')} modifier="breakWord">
        {t(`type.${spec.type}`)}
        <br />
        <small>
          <Receiver channel={channel} />
        </small>
      </Td>
      <Td dataLabel={t('col.severities')}>{spec.severities.map((each) => t(`severity.${each}`)).join(', ')}</Td>
      <Td dataLabel={t('col.state')} modifier="breakWord">
        <ChannelStateLabel channel={channel} />
      </Td>
      <Td dataLabel={t('col.pending')}>{status?.pending ?? 0}</Td>
      <Td dataLabel={t('col.failed')}>{status?.failed ?? 0}</Td>
      <Td dataLabel={t('col.last')}>
        <LastDelivery status={status} />
      </Td>
    </Tr>
  );
}
