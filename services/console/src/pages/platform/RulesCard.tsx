import type { Policy } from '@crate/api';
import { List, ListItem } from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { LiveContent } from '../../components/LiveContent.js';
import { FactsCard } from '../../components/FactsCard.js';

/** How many rules are in force, and which cannot be judged or brought up to date. */
export function RulesCard(): ReactElement {
  const { t } = useTranslation('platform');
  const live = useLiveList<Policy>(KINDS.policy);
  const isFalse = (type: string) => (policy: Policy) =>
    policy.status?.conditions?.some((each) => each.type === type && each.status === 'False') === true;
  return (
    <LiveContent of={live}>
      <FactsCard
        isNarrow
        title={t('rules.title')}
        facts={[
          [t('rules.all'), live.items.length],
          [t('rules.broken'), <Rules key="broken" rules={live.items.filter(isFalse('Ready'))} />],
          [t('rules.unread'), <Rules key="unread" rules={live.items.filter(isFalse('Synced'))} />],
        ]}
      />
    </LiveContent>
  );
}

function Rules({ rules }: { readonly rules: readonly Policy[] }): ReactElement {
  const { t } = useTranslation('platform');
  if (rules.length === 0) return <>{t('rules.none')}</>;
  return (
    <List isPlain>
      {rules.map(({ metadata: { name } }) => (
        <ListItem key={name}>
          <Link to="/policies/rules/$rule" params={{ rule: name }}>
            {name}
          </Link>
        </ListItem>
      ))}
    </List>
  );
}
