import type { Consequences } from '@crate/api';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ImpactLabel } from './ImpactLabel.js';
import { valueText } from './value-text.js';

/** The fields of the spec that a change sets, each before and after. */
export function FieldChanges({ fields }: Pick<Consequences, 'fields'>): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (fields.length === 0) return null;
  return (
    <Table variant="compact" aria-label={t('consequences.fields')} gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('consequences.field')}</Th>
          <Th>{t('resources.before')}</Th>
          <Th>{t('resources.after')}</Th>
          <Th>{t('plan.impact')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {fields.map(({ field, before, after, impact }) => (
          <Tr key={field}>
            <Td dataLabel={t('consequences.field')} modifier="breakWord">
              {field}
            </Td>
            <Td dataLabel={t('resources.before')} modifier="breakWord">
              {valueText(before)}
            </Td>
            <Td dataLabel={t('resources.after')} modifier="breakWord">
              {valueText(after)}
            </Td>
            <Td dataLabel={t('plan.impact')}>
              <ImpactLabel isCompact impact={impact} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
