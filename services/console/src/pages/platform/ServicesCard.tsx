import type { PlatformService, ServiceState } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { Name } from '../../components/Name.js';
import { StateLabel } from './StateLabel.js';
import { TableCard } from './TableCard.js';

/** Whether services are well, for whoever does not run them. */
export function ServiceStates({
  services,
}: {
  readonly services: readonly { readonly name: string; readonly state: ServiceState }[];
}): ReactElement {
  const { t } = useTranslation('platform');
  return (
    <TableCard
      title={t('services.title')}
      columns={[t('services.name'), t('services.task'), t('services.state')]}
      empty={t('services.none')}
      rows={services.map(({ name, state }) => ({
        key: name,
        cells: [name, t(`services.${name}`), <StateLabel key="state" state={state} />],
      }))}
    />
  );
}

/** Every service, with how many of its replicas are ready and what its tables are at. */
export function ServicesCard({ services }: { readonly services: readonly PlatformService[] }): ReactElement {
  const { t } = useTranslation('platform');
  const columns = ['name', 'task', 'state', 'replicas', 'migrations'].map((column) => t(`services.${column}`));
  return (
    <TableCard
      title={t('services.title')}
      columns={columns}
      empty={t('services.none')}
      rows={services.map((service) => ({
        key: service.name,
        cells: [
          service.name,
          t(`services.${service.name}`),
          <ServiceWord key="state" service={service} />,
          readyText(service),
          <Migrations key="migrations" service={service} />,
        ],
      }))}
    />
  );
}

/** How many changes its tables have had, and the newest of them. */
function Migrations({ service: { migrations } }: { readonly service: PlatformService }): ReactElement {
  if (!migrations) return <>–</>;
  return (
    <>
      {migrations.applied}{' '}
      <small>
        <Name>{migrations.latest}</Name>
      </small>
    </>
  );
}

function ServiceWord({ service }: { readonly service: PlatformService }): ReactElement {
  const { t } = useTranslation('platform');
  const { state, answered, message, asOf } = service;
  return (
    <>
      <StateLabel state={state} /> {!answered && message}
      {!answered && asOf !== undefined && (
        <>
          {' '}
          {t('services.asOf')} <Age since={asOf} />
        </>
      )}
    </>
  );
}

/** Of those that should be there. */
function readyText({ replicas }: PlatformService): string {
  const counted = replicas.filter(({ state }) => state !== 'Stopped' && state !== 'Replaced');
  return `${counted.filter(({ state }) => state === 'Ready').length}/${counted.length}`;
}
