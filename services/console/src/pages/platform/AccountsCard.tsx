import type { CloudAccount } from '@crate/api';
import { List, ListItem } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { LiveContent } from '../../components/LiveContent.js';
import { FactsCard } from '../../components/FactsCard.js';

/** Accounts of all Projects that somebody has to look after. */
export function AccountsCard(): ReactElement {
  const { t } = useTranslation('platform');
  const live = useLiveList<CloudAccount>(KINDS.cloudAccount);
  const has = (type: string, status: string) => (account: CloudAccount) =>
    account.status?.conditions?.some((each) => each.type === type && each.status === status) === true;
  return (
    <LiveContent of={live}>
      <FactsCard
        isNarrow
        title={t('accounts.title')}
        facts={[
          [t('accounts.all'), live.items.length],
          [t('accounts.notReady'), <Accounts key="ready" accounts={live.items.filter(has('Ready', 'False'))} />],
          [
            t('accounts.orphans'),
            <Accounts key="orphans" accounts={live.items.filter(has('OrphanedResources', 'True'))} />,
          ],
        ]}
      />
    </LiveContent>
  );
}

function Accounts({ accounts }: { readonly accounts: readonly CloudAccount[] }): ReactElement {
  const { t } = useTranslation('platform');
  if (accounts.length === 0) return <>{t('rules.none')}</>;
  return (
    <List isPlain>
      {accounts.map(({ metadata: { name, namespace = '' } }) => (
        <ListItem key={`${namespace}/${name}`}>
          <Link to="/projects/$name/accounts" params={{ name: namespace }}>
            {`${namespace}/${name}`}
          </Link>
        </ListItem>
      ))}
    </List>
  );
}
