import {
  Card,
  CardBody,
  CardTitle,
  ClipboardCopy,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
} from '@patternfly/react-core';
import type { Cluster } from '@crate/api';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCluster } from '../cluster-context.js';
import type { Texts } from '../texts.js';

/** What was asked for, in few words, and where its API is. */
export function Summary(): ReactElement {
  const { t } = useTranslation('cluster');
  const { spec, status, metadata } = useCluster();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['endpoint', status?.apiEndpoint === undefined ? t('summary.notYet') : <Copied text={status.apiEndpoint} />],
    ['project', metadata.namespace],
    ['class', spec.classRef?.name ?? t('summary.noClass')],
    ...machineFacts(t, spec),
    ['drift', t(`summary.driftPolicy.${spec.drift.policy}`)],
    ['maxImpact', spec.maxImpact === undefined ? t('summary.noCeiling') : spec.maxImpact],
  ];
  return (
    <Card isFullHeight>
      <CardTitle component="h2">{t('summary.title')}</CardTitle>
      <CardBody>
        <DescriptionList isHorizontal isCompact horizontalTermWidthModifier={{ default: '7rem' }}>
          {facts.map(([name, value]) => (
            <DescriptionListGroup key={name}>
              <DescriptionListTerm>{t(`summary.${name}`)}</DescriptionListTerm>
              <DescriptionListDescription>{value}</DescriptionListDescription>
            </DescriptionListGroup>
          ))}
        </DescriptionList>
      </CardBody>
    </Card>
  );
}

/** Of a cluster that was there before, that is not known here. */
function machineFacts(
  t: Texts,
  { controlPlane, network, nodePools }: Cluster['spec'],
): readonly (readonly [string, ReactNode])[] {
  if (!controlPlane || !network) return [];
  return [
    ['controlPlane', t('summary.machines', { count: controlPlane.replicas, type: controlPlane.machineType })],
    ['pools', poolsText(t, nodePools)],
    ['network', `${network.vpcCidr} · ${t('summary.zones', { count: network.availabilityZones })}`],
  ];
}

function Copied({ text }: { readonly text: string }): ReactElement {
  const { t } = useTranslation();
  return (
    <ClipboardCopy variant="inline-compact" hoverTip={t('copy.copy')} clickTip={t('copy.copied')}>
      {text}
    </ClipboardCopy>
  );
}

function poolsText(
  t: Texts,
  pools: readonly { readonly name: string; readonly replicas: number; readonly machineType: string }[],
): string {
  if (pools.length === 0) return t('summary.noPools');
  return pools
    .map(({ name, replicas, machineType }) => t('summary.pool', { name, count: replicas, type: machineType }))
    .join(', ');
}
