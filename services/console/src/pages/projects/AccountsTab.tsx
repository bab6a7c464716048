import type { CloudAccount } from '@crate/api';
import {
  EmptyState,
  EmptyStateBody,
  Label,
  Stack,
  StackItem,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { LiveContent } from '../../components/LiveContent.js';
import { AddAccountDialog } from './AddAccountDialog.js';
import { CredentialsDialog } from './CredentialsDialog.js';
import { OrphanTable } from './OrphanTable.js';
import { useProject } from './project-context.js';
import { RemoveAccountDialog } from './RemoveAccountDialog.js';

/** The Project's accounts at clouds: whether they work, and what in them belongs to nobody. */
export function AccountsTab(): ReactElement {
  const { t } = useTranslation('projects');
  const { name: namespace } = useProject().metadata;
  const live = useLiveList<CloudAccount>(KINDS.cloudAccount, { namespace });
  const [replaced, setReplaced] = useState<CloudAccount>();
  const [removed, setRemoved] = useState<CloudAccount>();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <LiveContent of={live}>
        <Toolbar>
          <ToolbarContent>
            <ToolbarItem>
              <DeedButton
                needs={{ verb: 'create', kind: KINDS.cloudAccount, namespace }}
                onClick={() => setAdding(true)}
              >
                {t('account.add')}
              </DeedButton>
            </ToolbarItem>
          </ToolbarContent>
        </Toolbar>
        {live.items.length === 0 ? (
          <EmptyState headingLevel="h2" titleText={t('account.none')}>
            <EmptyStateBody>{t('account.noneHelp')}</EmptyStateBody>
          </EmptyState>
        ) : (
          <Stack hasGutter>
            <StackItem>
              <AccountTable accounts={live.items} onReplace={setReplaced} onRemove={setRemoved} />
            </StackItem>
            {live.items
              .filter(({ status }) => (status?.sweep?.findings.length ?? 0) > 0)
              .map((account) => (
                <StackItem key={account.metadata.name}>
                  <OrphanTable account={account} />
                </StackItem>
              ))}
          </Stack>
        )}
      </LiveContent>
      {isAdding && <AddAccountDialog project={namespace} onClose={() => setAdding(false)} />}
      {removed && <RemoveAccountDialog account={removed} onClose={() => setRemoved(undefined)} />}
      {replaced && <CredentialsDialog account={replaced} onClose={() => setReplaced(undefined)} />}
    </>
  );
}

interface AccountTableProps {
  readonly accounts: readonly CloudAccount[];
  readonly onReplace: (account: CloudAccount) => void;
  readonly onRemove: (account: CloudAccount) => void;
}

function AccountTable({ accounts, onReplace, onRemove }: AccountTableProps): ReactElement {
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
        {accounts.map((account) => {
          const { metadata, spec, status } = account;
          const { name, namespace } = metadata;
          const orphans = (status?.sweep?.findings.length ?? 0) + (status?.sweep?.omitted ?? 0);
          return (
            <Tr key={name}>
              <Td dataLabel={t('account.name')}>{name}</Td>
              <Td dataLabel={t('account.provider')}>{spec.provider}</Td>
              <Td dataLabel={t('account.number')}>{spec.accountId}</Td>
              <Td dataLabel={t('account.state')} modifier="breakWord">
                <AccountState account={account} />
              </Td>
              <Td dataLabel={t('account.orphans')}>
                {orphans === 0 ? t('account.noOrphans') : t('account.orphanCount', { count: orphans })}
              </Td>
              <Td dataLabel={t('col.actions')}>
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
              </Td>
            </Tr>
          );
        })}
      </Tbody>
    </Table>
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
