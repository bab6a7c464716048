import type { CloudAccount } from '@crate/api';
import { Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { DeedButton } from '../../components/access/DeedButton.js';

interface AccountTableProps {
  readonly accounts: readonly CloudAccount[];
  readonly onReplace: (account: CloudAccount) => void;
  readonly onRemove: (account: CloudAccount) => void;
}

/** Accounts at clouds, each with whether it works. */
export function AccountTable({ accounts, ...deeds }: AccountTableProps): ReactElement {
  const { t } = useTranslation('projects');
  return (
    <Table aria-label={t('nav.accounts')} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('account.name')}</Th>
          <Th>{t('account.provider')}</Th>
          <Th>{t('account.number')}</Th>
          <Th>{t('account.state')}</Th>
          <Th>{t('account.orphans')}</Th>
          <Th screenReaderText={t('col.actions')} />
        </Tr>
      </Thead>
      <Tbody>
        {accounts.map((account) => (
          <AccountRow key={account.metadata.name} account={account} {...deeds} />
        ))}
      </Tbody>
    </Table>
  );
}

interface AccountRowProps extends Omit<AccountTableProps, 'accounts'> {
  readonly account: CloudAccount;
}

function AccountRow(props: AccountRowProps): ReactElement {
  const { t } = useTranslation('projects');
  const { metadata, spec, status } = props.account;
  const orphans = (status?.sweep?.findings.length ?? 0) + (status?.sweep?.omitted ?? 0);
  return (
    <Tr>
      <Td dataLabel={t('account.name')}>{metadata.name}</Td>
      <Td dataLabel={t('account.provider')}>{spec.provider}</Td>
      <Td dataLabel={t('account.number')}>{spec.accountId}</Td>
      <Td dataLabel={t('account.state')} modifier="breakWord">
        <AccountState account={props.account} />
      </Td>
      <Td dataLabel={t('account.orphans')}>
        {orphans === 0 ? t('account.noOrphans') : t('account.orphanCount', { count: orphans })}
      </Td>
      <Td dataLabel={t('col.actions')}>
        <AccountButtons {...props} />
      </Td>
    </Tr>
  );
}

function AccountButtons({ account, onReplace, onRemove }: AccountRowProps): ReactElement {
  const { t } = useTranslation('projects');
  const { name, namespace } = account.metadata;
  return (
    <>
      <DeedButton
        variant="secondary"
        size="sm"
        needs={{ verb: 'patch', kind: KINDS.cloudAccount, namespace, name }}
        aria-label={t('account.replaceOf', { name })}
        onClick={() => onReplace(account)}
      >
        {t('account.replace')}
      </DeedButton>{' '}
      <DeedButton
        variant="link"
        isDanger
        size="sm"
        needs={{ verb: 'delete', kind: KINDS.cloudAccount, namespace, name }}
        aria-label={t('account.removeOf', { name })}
        onClick={() => onRemove(account)}
      >
        {t('account.remove')}
      </DeedButton>
    </>
  );
}

function AccountState({ account }: { readonly account: CloudAccount }): ReactElement {
  const { t } = useTranslation('projects');
  const ready = account.status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready || ready.status === 'Unknown') return <Label isCompact>{t('account.unknown')}</Label>;
  if (ready.status === 'True')
    return (
      <Label isCompact status="success">
        {t('account.ready')}
      </Label>
    );
  return (
    <>
      <Label isCompact status="danger">
        {t('account.notReady')}
      </Label>{' '}
      {ready.message === '' ? ready.reason : ready.message}
    </>
  );
}
