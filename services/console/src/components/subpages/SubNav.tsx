import { Nav, NavItem, NavList, PageSection } from '@patternfly/react-core';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCurrentInSight } from './use-current-in-sight.js';

interface SubNavProps {
  readonly label: string;
  readonly back: string;
  readonly forward: string;
  readonly tabs: readonly { readonly to: string; readonly text: string }[];
  /** What of the URL all parts have in common. */
  readonly search?: Readonly<Record<string, string | undefined>>;
}

/** Leads to the parts of a page; each is a path of its own. */
export function SubNav({ label, back, forward, tabs, search = {} }: SubNavProps): ReactElement {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useCurrentInSight(path);
  return (
    <PageSection type="subnav">
      <Nav variant="horizontal-subnav" aria-label={label}>
        <NavList backScrollAriaLabel={back} forwardScrollAriaLabel={forward}>
          {tabs.map(({ to, text }) => {
            const isActive = path.endsWith(to) || path.includes(`${to}/`);
            return (
              <NavItem key={to} itemId={to} isActive={isActive}>
                <Link to={to} search={search} aria-current={isActive ? 'page' : undefined}>
                  {text}
                </Link>
              </NavItem>
            );
          })}
        </NavList>
      </Nav>
    </PageSection>
  );
}
