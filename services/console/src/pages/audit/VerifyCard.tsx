import type { VerifiedLog } from '@crate/api';
import { Button, Card, CardBody, CardTitle, Content, Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { DeedError } from '../../components/access/DeedError.js';

const HASH_SHOWN = 12;

/** Has the chains of all services recomputed, when somebody asks: a long log takes a while. */
export function VerifyCard(): ReactElement {
  const { t } = useTranslation('audit');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => apiJson<{ readonly logs: readonly VerifiedLog[] }>('/audit/verify'),
  });
  return (
    <Card>
      <CardTitle component="h2">{t('verify.title')}</CardTitle>
      <CardBody>
        <Content component="p">{t('verify.help')}</Content>
        <Button variant="secondary" isLoading={isPending} isDisabled={isPending} onClick={() => mutate()}>
          {t('verify.run')}
        </Button>
        <DeedError error={error} />
        <div aria-live="polite">{data && <LogTable logs={data.logs} />}</div>
      </CardBody>
    </Card>
  );
}

function LogTable({ logs }: { readonly logs: readonly VerifiedLog[] }): ReactElement {
  const { t } = useTranslation('audit');
  return (
    <Table aria-label={t('verify.table')} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>{t('verify.service')}</Th>
          <Th>{t('verify.state')}</Th>
          <Th>{t('verify.rows')}</Th>
          <Th>{t('verify.checkpoints')}</Th>
          <Th>{t('verify.head')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {logs.map(({ service, isWhole, rows, checkpoints, head, problems }) => (
          <Tr key={service}>
            <Td dataLabel={t('verify.service')}>{service}</Td>
            <Td dataLabel={t('verify.state')} modifier="breakWord">
              <div>
                <Label isCompact status={isWhole ? 'success' : 'danger'}>
                  {t(isWhole ? 'verify.whole' : 'verify.damaged')}
                </Label>{' '}
                {problems.map(({ message }) => message).join('; ')}
              </div>
            </Td>
            <Td dataLabel={t('verify.rows')}>{rows}</Td>
            <Td dataLabel={t('verify.checkpoints')}>{checkpoints}</Td>
            <Td dataLabel={t('verify.head')}>
              {t('verify.row', { seq: head.seq, hash: head.hash.slice(0, HASH_SHOWN) })}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
