import type { LeaseReport, PlatformService, RunReport } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { Name } from '../../components/Name.js';
import { durationText } from './measures.js';
import { StateLabel } from './StateLabel.js';
import { TableCard } from './TableCard.js';

interface OfServices {
  readonly services: readonly PlatformService[];
}

const QUEUE_COLUMNS = ['name', 'depth', 'due', 'oldest', 'inWork', 'retrying'] as const;
const LEASE_COLUMNS = ['what', 'name', 'holder', 'since', 'epoch', 'state'] as const;
const RUN_COLUMNS = ['program', 'name', 'holder', 'since', 'state'] as const;

/** What waits, by reconciler; those that have nothing are counted. */
export function QueuesCard({ services }: OfServices): ReactElement {
  const { t } = useTranslation('platform');
  const all = services.flatMap(({ name, queues: own }) => own.map((queue) => ({ service: name, ...queue })));
  const queues = all.filter(({ depth }) => depth > 0);
  const idle = all.length - queues.length;
  return (
    <TableCard
      title={t('queues.title')}
      columns={QUEUE_COLUMNS.map((column) => t(`queues.${column}`))}
      empty={t('queues.none')}
      note={idle > 0 ? t('queues.idle', { count: idle }) : undefined}
      rows={queues.map(({ service, reconciler, depth, due, oldestWaitSeconds, inWork, retrying, mostAttempts }) => ({
        key: `${service}/${reconciler}`,
        cells: [
          `${service}/${reconciler}`,
          ...[depth, due, due > 0 ? durationText(oldestWaitSeconds * 1_000) : '–', inWork],
          retrying > 0 ? t('queues.failures', { count: retrying, most: mostAttempts }) : 0,
        ],
      }))}
    />
  );
}

/** Who works on what. */
export function LeasesCard({ services }: OfServices): ReactElement {
  const { t } = useTranslation('platform');
  const leases = services.flatMap((service) => service.leases);
  const omitted = services.reduce((sum, { omittedLeases }) => sum + omittedLeases, 0);
  return (
    <TableCard
      title={t('leases.title')}
      columns={LEASE_COLUMNS.map((column) => t(`leases.${column}`))}
      empty={t('leases.none')}
      note={omitted > 0 ? t('leases.omitted', { count: omitted }) : undefined}
      rows={leases.map((lease) => ({
        key: `${lease.kind}/${lease.task}/${lease.namespace ?? ''}/${lease.name}`,
        cells: [
          t(`leases.${lease.kind}`, { task: lease.task }),
          <Name key="place">{placeOf(lease)}</Name>,
          <Name key="holder">{lease.holder}</Name>,
          lease.since === undefined ? '–' : <Age key="since" since={lease.since} />,
          lease.epoch ?? '–',
          <StateLabel key="state" state={lease.state} />,
        ],
      }))}
    />
  );
}

/** Terraform and engines under way. */
export function RunsCard({ services }: OfServices): ReactElement {
  const { t } = useTranslation('platform');
  const runs = services.flatMap((service) => service.runs);
  return (
    <TableCard
      title={t('runs.title')}
      columns={RUN_COLUMNS.map((column) => t(`runs.${column}`))}
      empty={t('runs.none')}
      rows={runs.map((run) => ({
        key: `${run.program}/${run.namespace ?? ''}/${run.name}/${run.epoch}`,
        cells: [
          `${run.program} ${run.operation}`,
          <Name key="place">{placeOf(run)}</Name>,
          <Name key="holder">{run.holder}</Name>,
          <Age key="since" since={run.since} />,
          <StateLabel key="state" state={run.state} />,
        ],
      }))}
    />
  );
}

function placeOf({ namespace, name }: Pick<LeaseReport | RunReport, 'namespace' | 'name'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
