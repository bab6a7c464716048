import { Nav, NavItem, NavList, PageSidebar, PageSidebarBody } from '@patternfly/react-core';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from './use-pages.js';

/** The main menu. */
export function Navigation(): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label={t('menu')}>
          <NavList>
            {pages.map(({ to, name, holds }) => (
              <NavItem key={to} itemId={to} isActive={holds(path)}>
                <Link to={to} aria-current={holds(path) ? 'page' : undefined}>
                  {t(`nav.${name}`)}
                </Link>
              </NavItem>
            ))}
          </NavList>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
