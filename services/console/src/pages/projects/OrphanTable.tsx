import type { CloudAccount } from '@crate/api';
import { Card, CardBody, CardTitle } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** What in an account carries the platform's tags and belongs to nobody, and what is done about it. */
export function OrphanTable({ account }: { readonly account: CloudAccount }): ReactElement {
  const { t } = useTranslation('projects');
  const title = t('account.findings', { name: account.metadata.name });
  const { findings = [], omitted = 0 } = account.status?.sweep ?? {};
  return (
    <Card>
      <CardTitle component="h2">{title}</CardTitle>
      <CardBody>
        <Table aria-label={title} variant="compact" gridBreakPoint="grid-lg">
          <Thead>
            <Tr>
              <Th>{t('account.type')}</Th>
              <Th>{t('account.id')}</Th>
              <Th>{t('account.region')}</Th>
              <Th>{t('account.decision')}</Th>
              <Th>{t('account.why')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {findings.map(({ type, id, region, decision, message }) => (
              <Tr key={`${region}/${type}/${id}`}>
                <Td dataLabel={t('account.type')}>{type}</Td>
                <Td dataLabel={t('account.id')} modifier="breakWord">
                  {id}
                </Td>
                <Td dataLabel={t('account.region')}>{region}</Td>
                <Td dataLabel={t('account.decision')}>{t(`account.${decision}`)}</Td>
                <Td dataLabel={t('account.why')} modifier="breakWord">
                  {message}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
        {omitted > 0 && <p>{t('account.omitted', { count: omitted })}</p>}
      </CardBody>
    </Card>
  );
}
