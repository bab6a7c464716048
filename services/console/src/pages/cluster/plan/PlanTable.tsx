import type { Plan } from '@crate/api';
import { Button } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Age } from '../../../components/Age.js';
import { countsText } from './counts-text.js';
import { PlanPhaseLabel } from './PlanPhaseLabel.js';

interface PlanTableProps {
  readonly plans: readonly Plan[];
  readonly onOpen: (name: string) => void;
}

/** The plans of a cluster, the newest first. */
export function PlanTable({ plans, onOpen }: PlanTableProps): ReactElement {
  const { t } = useTranslation('cluster');
  if (plans.length === 0) return <p>{t('plan.none')}</p>;
  const newestFirst = plans.toSorted((left, right) =>
    right.metadata.creationTimestamp.localeCompare(left.metadata.creationTimestamp),
  );
  return (
    <Table variant="compact" aria-label={t('plan.title')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('plan.name')}</Th>
          <Th>{t('plan.phase')}</Th>
          <Th>{t('plan.changes')}</Th>
          <Th>{t('plan.impact')}</Th>
          <Th>{t('plan.cost')}</Th>
          <Th>{t('plan.by')}</Th>
          <Th>{t('plan.age')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {newestFirst.map((plan) => {
          const { consequences, plannedBy } = plan.status ?? {};
          return (
            <Tr key={plan.metadata.uid}>
              <Td dataLabel={t('plan.name')}>
                <Button variant="link" isInline onClick={() => onOpen(plan.metadata.name)}>
                  {plan.metadata.name}
                </Button>
              </Td>
              <Td dataLabel={t('plan.phase')}>
                <PlanPhaseLabel plan={plan} />
              </Td>
              <Td dataLabel={t('plan.changes')}>{countsText(t, consequences?.terraform?.counts)}</Td>
              <Td dataLabel={t('plan.impact')}>{consequences?.impact ?? '–'}</Td>
              <Td dataLabel={t('plan.cost')}>{consequences?.cost.text ?? '–'}</Td>
              <Td dataLabel={t('plan.by')}>{plannedBy ?? '–'}</Td>
              <Td dataLabel={t('plan.age')}>
                <Age since={plan.metadata.creationTimestamp} />
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
  );
}
