import type { NotificationChannel } from '@crate/api';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { FactsCard } from '../../components/FactsCard.js';
import { Name } from '../../components/Name.js';
import { receiverOf } from './channel-state.js';

type Channel = NotificationChannel;

/** Where a channel sends to, what of, and how much waits. */
export function ChannelFacts({ channel }: { readonly channel: Channel }): ReactElement {
  const { t } = useTranslation('notifications');
  const { spec, status = {} } = channel;
  const { kinds = [], reasons = [] } = spec.match ?? {};
  const stated: readonly (readonly [string, string])[] = [
    [t('form.headers'), (spec.webhook?.headers ?? []).map(({ name }) => name).join(', ')],
    [t('form.from'), spec.email?.from ?? ''],
    [t('form.kinds'), kinds.join(', ')],
    [t('form.reasons'), reasons.join(', ')],
    [t('form.labels'), labelsText(spec)],
  ];
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('form.type'), t(`type.${spec.type}`)],
    [t('col.to'), <Receiver key="to" channel={channel} />],
    [t('col.severities'), spec.severities.map((each) => t(`severity.${each}`)).join(', ')],
    ...stated.filter(([, text]) => text !== ''),
    ...(['pending', 'failed', 'dropped'] as const).map((each) => [t(`col.${each}`), status[each] ?? 0] as const),
    [t('col.last'), <LastDelivery key="last" status={status} />],
  ];
  return <FactsCard title={t('facts')} facts={facts} />;
}

/** Where a channel sends to, as far as that is no secret: broken between the parts of an address. */
export function Receiver({ channel }: { readonly channel: Channel }): ReactElement {
  const { t } = useTranslation('notifications');
  const receiver = receiverOf(channel);
  return receiver === undefined ? <>{t('hidden')}</> : <Name>{receiver}</Name>;
}

/** When a channel delivered last, if it ever did. */
export function LastDelivery({ status }: { readonly status: Channel['status'] }): ReactElement {
  const { t } = useTranslation('notifications');
  return status?.lastDeliveryAt === undefined ? <>{t('never')}</> : <Age since={status.lastDeliveryAt} />;
}

/** Which Clusters, as kubectl writes selectors. */
function labelsText({ match }: Channel['spec']): string {
  const { matchLabels = {}, matchExpressions = [] } = match?.clusterSelector ?? {};
  const labels = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) =>
    [key, operator, values.join(', ')].join(' ').trim(),
  );
  return [...labels, ...expressions].join(', ');
}
