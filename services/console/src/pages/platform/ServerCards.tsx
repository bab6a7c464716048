import type { PlatformStatus, PostgresServerStatus } from '@crate/api';
import { Label, List, ListItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FactsCard } from '../../components/FactsCard.js';
import { bytesText, durationText, millisecondsText } from './measures.js';

interface OfStatus {
  readonly status: PlatformStatus;
}

/** Which version runs, and whether there is a newer one. */
export function VersionCard({ status: { version, versions, upgrade } }: OfStatus): ReactElement {
  const { t } = useTranslation('platform');
  const all = versions.length > 1 ? [[t('version.all'), versions.join(', ')] as const] : [];
  return (
    <FactsCard
      isNarrow
      title={t('version.title')}
      facts={[
        [t('common:product'), version],
        ...all,
        [t('version.upgrade'), <UpgradeFact key="upgrade" upgrade={upgrade} />],
      ]}
    />
  );
}

function UpgradeFact({ upgrade }: { readonly upgrade: PlatformStatus['upgrade'] }): ReactElement {
  const { t } = useTranslation('platform');
  const { available, reason, message } = upgrade;
  if (!available) return <>{t(`version.${reason}`, message)}</>;
  const { version, isSecurity, summary, notes } = available;
  return (
    <>
      <Label isCompact status={isSecurity ? 'warning' : 'info'}>
        {version}
      </Label>{' '}
      {message}. {summary}{' '}
      {notes !== undefined && (
        <a href={notes} target="_blank" rel="noreferrer">
          {t('version.notes')}
        </a>
      )}
    </>
  );
}

/** NATS, as the replica of lifecycle that was asked stands to it. */
export function NatsCard({ status: { nats } }: OfStatus): ReactElement {
  const { t } = useTranslation('platform');
  const { connected, server, version, roundTripMs, reconnects } = nats;
  return (
    <FactsCard
      isNarrow
      title="NATS"
      facts={[
        [t('nats.state'), connected ? t('nats.connected') : t('nats.disconnected')],
        [t('nats.version'), version ?? '–'],
        [t('nats.server'), server ?? '–'],
        [t('nats.roundTrip'), roundTripMs === undefined ? '–' : millisecondsText(roundTripMs)],
        [t('nats.reconnects'), reconnects],
        [t('nats.backlog'), nats.jetStream.used ? nats.jetStream.message : t('nats.noBacklog')],
      ]}
    />
  );
}

/** A server of PostgreSQL, and whose tables it holds. */
export function PostgresCard({ server }: { readonly server: PostgresServerStatus }): ReactElement {
  const { t } = useTranslation('platform');
  const { version, role, standbys, sizeBytes, connections, oldestTransactionSeconds, services } = server;
  return (
    <FactsCard
      isNarrow
      title="PostgreSQL"
      facts={[
        [t('postgres.version'), version],
        [t('postgres.role'), t(`postgres.${role}`, { count: standbys })],
        [t('postgres.size'), bytesText(sizeBytes)],
        [t('postgres.connections'), t('postgres.of', { used: connections.used, most: connections.most })],
        [t('postgres.oldest'), durationText(oldestTransactionSeconds * 1_000)],
        [t('postgres.services'), services.join(', ')],
      ]}
    />
  );
}

/** Certificates that the services show or trust, and how far clocks are apart. */
export function CertificatesCard({ status: { certificates, clockSkewMs } }: OfStatus): ReactElement {
  const { t } = useTranslation('platform');
  const ends = certificates.map(({ service, use, expiresAt }) => (
    <ListItem key={`${service}/${use}`}>
      {t('certificates.ends', { name: `${service}/${use}`, day: expiresAt.slice(0, 10) })}
    </ListItem>
  ));
  return (
    <FactsCard
      isNarrow
      title={t('certificates.title')}
      facts={[
        [
          t('certificates.all'),
          ends.length === 0 ? (
            t('certificates.none')
          ) : (
            <List key="all" isPlain>
              {ends}
            </List>
          ),
        ],
        [t('certificates.clocks'), clockSkewMs === undefined ? '–' : millisecondsText(clockSkewMs)],
      ]}
    />
  );
}
