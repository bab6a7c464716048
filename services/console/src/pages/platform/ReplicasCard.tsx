import type { PlatformService, ReplicaReport } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../components/Name.js';
import { bytesText, durationText, millisecondsText, percentText } from './measures.js';
import { StateLabel } from './StateLabel.js';
import { TableCard } from './TableCard.js';

const COLUMNS = ['name', 'state', 'version', 'uptime', 'seen', 'loop', 'memory', 'clock', 'nats'] as const;

/** Every process of every service, those that fell silent too. */
export function ReplicasCard({ services }: { readonly services: readonly PlatformService[] }): ReactElement {
  const { t } = useTranslation('platform');
  const replicas = services.flatMap((service) => service.replicas);
  return (
    <TableCard
      title={t('replicas.title')}
      columns={COLUMNS.map((column) => t(`replicas.${column}`))}
      empty={t('replicas.none')}
      rows={replicas.map((replica) => ({
        key: `${replica.name}/${replica.startedAt}`,
        cells: [
          <Name key="name">{replica.name}</Name>,
          <ReplicaWord key="state" replica={replica} />,
          replica.version,
          measure(durationText(replica.uptimeSeconds * 1_000)),
          measure(t('ago', { time: durationText(replica.silentMs) })),
          measure(percentText(replica.eventLoop.utilization)),
          measure(bytesText(replica.memory.residentBytes)),
          replica.clockSkewMs === undefined ? '–' : measure(millisecondsText(replica.clockSkewMs)),
          <NatsWord key="nats" nats={replica.nats} />,
        ],
      }))}
    />
  );
}

/** A number is read with its unit. */
function measure(text: string): ReactElement {
  return <span className="crate-word">{text}</span>;
}

/** With the checks that fail. */
function ReplicaWord({ replica: { state, checks } }: { readonly replica: ReplicaReport }): ReactElement {
  const failing = state === 'NotReady' ? checks.filter(({ ok }) => !ok) : [];
  const why = failing.map(({ name, message }) => (message === undefined ? name : `${name}: ${message}`)).join('; ');
  return (
    <>
      <StateLabel state={state} /> {why}
    </>
  );
}

function NatsWord({ nats }: { readonly nats: ReplicaReport['nats'] }): ReactElement {
  const { t } = useTranslation('platform');
  if (!nats.connected) return <>{t('nats.disconnected')}</>;
  const time = nats.roundTripMs === undefined ? t('nats.connected') : millisecondsText(nats.roundTripMs);
  return nats.reconnects > 0 ? <>{t('nats.withReconnects', { time, count: nats.reconnects })}</> : measure(time);
}
