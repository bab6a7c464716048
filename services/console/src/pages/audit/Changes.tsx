import type { AuditEvent } from '@crate/api';
import { Title } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Which fields an entry says to have changed, from what to what. */
export function Changes({ entry }: { readonly entry: AuditEvent }): ReactElement {
  const { t } = useTranslation('audit');
  const { changes = [], changesOmitted = 0 } = entry;
  const value = (of: unknown): string =>
    of === undefined ? t('entry.nothing') : typeof of === 'string' ? of : JSON.stringify(of, undefined, 2);
  return (
    <>
      <Title headingLevel="h2" size="lg">
        {t('entry.changes')}
      </Title>
      {changes.length === 0 ? (
        <p>{t('entry.noChanges')}</p>
      ) : (
        <Table aria-label={t('entry.changes')} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>{t('entry.field')}</Th>
              <Th>{t('entry.from')}</Th>
              <Th>{t('entry.to')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {changes.map(({ path, from, to }) => (
              <Tr key={path}>
                <Td dataLabel={t('entry.field')} modifier="breakWord">
                  <code>{path}</code>
                </Td>
                <Td dataLabel={t('entry.from')} modifier="breakWord">
                  <del>{value(from)}</del>
                </Td>
                <Td dataLabel={t('entry.to')} modifier="breakWord">
                  <ins>{value(to)}</ins>
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
      {changesOmitted > 0 && <p>{t('entry.omitted', { count: changesOmitted })}</p>}
    </>
  );
}
