import type { CloudAccount } from '@crate/api';
import {
  EmptyState,
  EmptyStateBody,
  Stack,
  StackItem,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { LiveContent } from '../../components/LiveContent.js';
import { AccountTable } from './AccountTable.js';
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
