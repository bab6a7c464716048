import type { Cluster, Plan } from '@crate/api';
import { Breadcrumb, BreadcrumbItem, Flex, FlexItem, Label, PageSection } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../components/Age.js';
import { PageHeading } from '../../components/PageHeading.js';
import { ClusterActions } from './ClusterActions.js';
import { clusterHealth, healthWithPlans, undecided } from './cluster-health.js';
import { ConsentAlert } from './deletion/ConsentAlert.js';
import { HealthAlert } from './HealthAlert.js';
import { HealthLabel } from './HealthLabel.js';
import { PlanAlert } from './PlanAlert.js';
import { usePlans } from './plan/use-plans.js';

/** The truth about a cluster at a glance, on each of its tabs. */
export function ClusterHeader({ cluster }: { readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const { metadata } = cluster;
  const health = clusterHealth(cluster);
  const waiting: readonly Plan[] = undecided(usePlans().items);
  return (
    <>
      <PageSection type="breadcrumb">
        <Breadcrumb aria-label={t('header.breadcrumb')}>
          <BreadcrumbItem>
            <Link to="/">{t('header.fleet')}</Link>
          </BreadcrumbItem>
          <BreadcrumbItem>{metadata.namespace}</BreadcrumbItem>
          <BreadcrumbItem isActive>{metadata.name}</BreadcrumbItem>
        </Breadcrumb>
      </PageSection>
      <PageHeading
        title={metadata.name}
        labels={<HealthLabel health={healthWithPlans(health.health, waiting)} />}
        actions={<ClusterActions cluster={cluster} />}
        subtitle={<Facts cluster={cluster} />}
      />
      <HealthAlert health={health} />
      <ConsentAlert cluster={cluster} />
      <PlanAlert plans={waiting} />
    </>
  );
}

function Facts({ cluster }: { readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const { metadata, spec, status } = cluster;
  return (
    <Flex component="span" columnGap={{ default: 'columnGapMd' }} rowGap={{ default: 'rowGapSm' }}>
      <FlexItem component="span">
        <Version cluster={cluster} />
      </FlexItem>
      <FlexItem component="span">
        {t('header.nodes', { ready: status?.nodes?.ready ?? 0, desired: nodesOf(cluster) })}
      </FlexItem>
      <FlexItem component="span">
        {spec.accountRef === undefined
          ? t('header.existing')
          : t('header.place', { account: spec.accountRef.name, region: spec.region })}
      </FlexItem>
      <FlexItem component="span">
        {t('header.created')} <Age since={metadata.creationTimestamp} />
      </FlexItem>
      {(spec.deletionProtection ?? false) && (
        <FlexItem component="span">
          <Label isCompact variant="outline">
            {t('header.protected')}
          </Label>
        </FlexItem>
      )}
    </Flex>
  );
}

/** What runs, and what is asked for where that is something else. */
function Version({ cluster: { spec, status } }: { readonly cluster: Cluster }): ReactElement {
  const { t } = useTranslation('cluster');
  const running = status?.version;
  const wanted = spec.kubernetes.version;
  if (running === undefined || wanted === undefined || running === wanted)
    return <>{t('header.version', { version: running ?? wanted ?? '' })}</>;
  return <>{t('header.versions', { running, wanted })}</>;
}

/** As the spec asks for them, which the status follows; where others keep the nodes, those that are there. */
function nodesOf({ spec, status }: Cluster): number {
  const { controlPlane, nodePools } = spec;
  if (!controlPlane) return status?.nodes?.desired ?? 0;
  return nodePools.reduce((sum, { replicas }) => sum + replicas, controlPlane.replicas);
}
