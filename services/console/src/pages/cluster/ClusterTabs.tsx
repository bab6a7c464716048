import { Nav, NavItem, NavList, PageSection } from '@patternfly/react-core';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentInSight } from '../../components/subpages/use-current-in-sight.js';
import { TABS } from './tabs.js';
import { useClusterKey } from './use-cluster-key.js';

/** Leads to the tabs of the cluster. */
export function ClusterTabs(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useCurrentInSight(path);
  return (
    <PageSection type="subnav">
      <Nav variant="horizontal-subnav" aria-label={t('tabs.label')}>
        <NavList backScrollAriaLabel={t('tabs.back')} forwardScrollAriaLabel={t('tabs.forward')}>
          {TABS.map((tab) => {
            const isActive = path.endsWith(`/${tab}`) || path.includes(`/${tab}/`);
            return (
              <NavItem key={tab} itemId={tab} isActive={isActive}>
                <Link
                  to={`/clusters/$project/$name/${tab}`}
                  params={{ project, name }}
                  aria-current={isActive ? 'page' : undefined}
                >
                  {t(`tabs.${tab}`)}
                </Link>
              </NavItem>
            );
          })}
        </NavList>
      </Nav>
    </PageSection>
  );
}
