import type { EventObject } from '@crate/api';
import { Card, CardBody, CardHeader, CardTitle, Label, Switch } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { EVENTS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { Age } from '../../../components/Age.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { Name } from '../../../components/Name.js';
import { useCluster } from '../cluster-context.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';

/** What happened to the cluster and to everything it owns, the newest first. */
export function Events(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { uid } = useCluster().metadata;
  const [{ warnings }, setView] = useViewState();
  const isNarrowed = warnings === 'true';
  const live = useLiveList<EventObject>(EVENTS, {
    namespace: project,
    // One of this name that was deleted has events of its own, for a day.
    fieldSelector: `involvedObject.kind=Cluster,involvedObject.name=${name},involvedObject.uid=${uid}`,
  });
  const shown = live.items
    .filter(({ type }) => !isNarrowed || type === 'Warning')
    .toSorted((left, right) => timeOf(right).localeCompare(timeOf(left)));
  return (
    <Card>
      <CardHeader
        hasWrap
        actions={{
          actions: (
            <Switch
              id="events-warnings"
              label={t('events.warningsOnly')}
              isChecked={isNarrowed}
              onChange={(_, isOn) => setView({ warnings: isOn ? 'true' : undefined })}
            />
          ),
        }}
      >
        <CardTitle component="h2">{t('events.title')}</CardTitle>
      </CardHeader>
      <CardBody>
        <LiveContent of={live}>
          {shown.length === 0 ? <p>{t('events.none')}</p> : <EventTable events={shown} />}
        </LiveContent>
      </CardBody>
    </Card>
  );
}

function EventTable({ events }: { readonly events: readonly EventObject[] }): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Table variant="compact" aria-label={t('events.title')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('events.when')}</Th>
          <Th>{t('events.reason')}</Th>
          <Th>{t('events.of')}</Th>
          <Th>{t('events.message')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {events.map((event) => (
          <Tr key={event.metadata.uid}>
            <Td dataLabel={t('events.when')} modifier="nowrap">
              <Age since={timeOf(event)} />
              {(event.count ?? 1) > 1 && ` (${t('events.times', { count: event.count })})`}
            </Td>
            <Td dataLabel={t('events.reason')}>
              <Label
                isCompact
                {...(event.type === 'Warning' ? { status: 'warning' as const } : { color: 'grey' as const })}
              >
                {event.reason}
              </Label>
            </Td>
            <Td dataLabel={t('events.of')}>{(event.related ?? event.involvedObject).kind}</Td>
            <Td dataLabel={t('events.message')} modifier="breakWord">
              <Name>{event.message ?? ''}</Name>
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function timeOf({ lastTimestamp, eventTime, metadata }: EventObject): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
}
