import { Card, CardBody, CardTitle, Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { useCluster } from '../cluster-context.js';
import { poolsOf, type Pool } from './pools.js';
import { ScaleDialog } from './ScaleDialog.js';

/** Groups of machines: how many are asked for, are there and are ready; scaled in place. */
export function NodesTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const cluster = useCluster();
  const [scaled, setScaled] = useState<string>();
  const pool = poolsOf(cluster).find(({ name }) => name === scaled);
  return (
    <Card>
      <CardTitle component="h2">{t('nodes.title')}</CardTitle>
      <CardBody>
        <Table aria-label={t('nodes.title')} gridBreakPoint="grid-lg">
          <Thead>
            <Tr>
              <Th>{t('nodes.name')}</Th>
              <Th>{t('nodes.machines')}</Th>
              <Th>{t('nodes.wanted')}</Th>
              <Th>{t('nodes.ready')}</Th>
              <Th modifier="wrap">{t('nodes.marks')}</Th>
              <Th>{t('nodes.actions')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {poolsOf(cluster).map((each) => (
              <PoolRow key={each.name} pool={each} onScale={() => setScaled(each.name)} />
            ))}
          </Tbody>
        </Table>
      </CardBody>
      {pool && <ScaleDialog pool={pool} onClose={() => setScaled(undefined)} />}
    </Card>
  );
}

function PoolRow({ pool, onScale }: { readonly pool: Pool; readonly onScale: () => void }): ReactElement {
  const { t } = useTranslation('cluster');
  const isGoing = useCluster().metadata.deletionTimestamp !== undefined;
  const { name, machineType, diskGiB, replicas, ready, marks, index } = pool;
  return (
    <Tr>
      <Td dataLabel={t('nodes.name')}>{index === undefined ? t('nodes.controlPlane') : name}</Td>
      <Td dataLabel={t('nodes.machines')}>{t('nodes.machine', { type: machineType, disk: diskGiB })}</Td>
      <Td dataLabel={t('nodes.wanted')}>{replicas}</Td>
      <Td dataLabel={t('nodes.ready')}>
        {ready === undefined ? (
          t('nodes.unknown')
        ) : (
          <Label isCompact status={statusOf(ready, replicas)}>
            {t('nodes.of', { ready, replicas })}
          </Label>
        )}
      </Td>
      <Td dataLabel={t('nodes.marks')} modifier="breakWord">
        {marks.length === 0 ? '–' : marks.join(', ')}
      </Td>
      <Td dataLabel={t('nodes.actions')}>
        {index === undefined ? (
          <small>{t('nodes.byYaml')}</small>
        ) : (
          <GuardedButton
            variant="secondary"
            size="sm"
            needs={{ verb: 'patch', kind: KINDS.cluster }}
            refusal={isGoing ? t('nodes.going') : undefined}
            aria-label={t('nodes.scaleOf', { name })}
            onClick={onScale}
          >
            {t('nodes.scale')}
          </GuardedButton>
        )}
      </Td>
    </Tr>
  );
}

/** Compared with what is asked for, not with what is there so far: that lags behind it. */
function statusOf(ready: number, replicas: number): 'warning' | 'success' | 'info' {
  if (ready === replicas) return 'success';
  return ready < replicas ? 'warning' : 'info';
}
