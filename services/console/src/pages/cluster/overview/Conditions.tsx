import type { Condition } from '@crate/api';
import { Card, CardBody, CardTitle, Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../components/Name.js';
import { Age } from '../../../components/Age.js';
import { useCluster } from '../cluster-context.js';
import { toneOf } from '../conditions.js';

/** What the platform states of the cluster, each with its reason and since when. */
export function Conditions(): ReactElement {
  const { t } = useTranslation('cluster');
  const { status, metadata } = useCluster();
  const conditions = status?.conditions ?? [];
  return (
    <Card>
      <CardTitle component="h2">{t('conditions.title')}</CardTitle>
      <CardBody>
        <Table variant="compact" aria-label={t('conditions.title')} gridBreakPoint="grid-lg">
          <Thead>
            <Tr>
              <Th>{t('conditions.type')}</Th>
              <Th>{t('conditions.status')}</Th>
              <Th>{t('conditions.reason')}</Th>
              <Th>{t('conditions.message')}</Th>
              <Th>{t('conditions.since')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {conditions.map((condition) => (
              <ConditionRow key={condition.type} condition={condition} generation={metadata.generation} />
            ))}
          </Tbody>
        </Table>
        {conditions.length === 0 && <p>{t('conditions.none')}</p>}
      </CardBody>
    </Card>
  );
}

function ConditionRow({
  condition,
  generation,
}: {
  readonly condition: Condition;
  readonly generation: number;
}): ReactElement {
  const { t } = useTranslation('cluster');
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = condition;
  const tone = toneOf(condition);
  const isOld = observedGeneration !== undefined && observedGeneration < generation;
  return (
    <Tr>
      <Td dataLabel={t('conditions.type')} className="crate-line">
        <Name>{type}</Name>
      </Td>
      <Td dataLabel={t('conditions.status')}>
        <Label isCompact {...(tone === 'quiet' ? { color: 'grey' as const } : { status: tone })}>
          {t(`conditions.is.${status}`)}
        </Label>
      </Td>
      <Td dataLabel={t('conditions.reason')} className="crate-line">
        <Name>{reason}</Name>
      </Td>
      <Td dataLabel={t('conditions.message')} modifier="breakWord">
        <div>
          {message === '' ? '–' : message}
          {isOld && <small> {t('conditions.old')}</small>}
        </div>
      </Td>
      <Td dataLabel={t('conditions.since')}>
        <Age since={lastTransitionTime} />
      </Td>
    </Tr>
  );
}
