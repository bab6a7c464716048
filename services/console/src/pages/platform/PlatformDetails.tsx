import type { PlatformStatus } from '@crate/api';
import { Card, CardBody, CardTitle, Content, Gallery, Stack, StackItem } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AccountsCard } from './AccountsCard.js';
import { ComponentsCard } from './components/ComponentsCard.js';
import { ProblemsCard } from './ProblemsCard.js';
import { ReplicasCard } from './ReplicasCard.js';
import { RulesCard } from './RulesCard.js';
import { CertificatesCard, NatsCard, PostgresCard, VersionCard } from './ServerCards.js';
import { ServicesCard } from './ServicesCard.js';
import { LeasesCard, QueuesCard, RunsCard } from './WorkCards.js';

/** All that is told to those who run the platform. */
export function PlatformDetails({ status }: { readonly status: PlatformStatus }): ReactElement {
  const { services } = status;
  const parts = [
    <ProblemsCard key="problems" problems={status.problems} />,
    <ServicesCard key="services" services={services} />,
    <ComponentsCard key="components" />,
    <Facts key="facts" status={status} />,
    <ReplicasCard key="replicas" services={services} />,
    <QueuesCard key="queues" services={services} />,
    <RunsCard key="runs" services={services} />,
    <LeasesCard key="leases" services={services} />,
    <Elsewhere key="elsewhere" />,
  ];
  return (
    <Stack hasGutter>
      {parts.map((part) => (
        <StackItem key={part.key}>{part}</StackItem>
      ))}
    </Stack>
  );
}

function Facts({ status }: { readonly status: PlatformStatus }): ReactElement {
  return (
    <Gallery hasGutter minWidths={{ default: '15rem' }}>
      <VersionCard status={status} />
      <NatsCard status={status} />
      {status.postgres.map((server) => (
        <PostgresCard key={`${server.name}/${server.serverStartedAt}`} server={server} />
      ))}
      <CertificatesCard status={status} />
      <RulesCard />
      {!status.inCluster && <AccountsCard />}
    </Gallery>
  );
}

function Elsewhere(): ReactElement {
  const { t } = useTranslation('platform');
  return (
    <Card>
      <CardTitle component="h2">{t('elsewhere.title')}</CardTitle>
      <CardBody>
        <Content component="p">{t('elsewhere.body')}</Content>
        <Link to="/audit">{t('elsewhere.audit')}</Link>
      </CardBody>
    </Card>
  );
}
