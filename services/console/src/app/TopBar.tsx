import {
  Button,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MastheadToggle,
  PageToggleButton,
  Toolbar,
  ToolbarContent,
  ToolbarGroup,
  ToolbarItem,
} from '@patternfly/react-core';
import { BarsIcon, MoonIcon, SearchIcon, SunIcon } from '@patternfly/react-icons';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AccountMenu } from './AccountMenu.js';
import { useTheme } from './theme.js';

/** The same at every drawing: another one would fetch its picture again, also where nobody answers. */
function HomeLink(props: object): ReactElement {
  return <Link to="/" {...props} />;
}

/** The bar at the top. */
export function TopBar({ onPalette }: { readonly onPalette: () => void }): ReactElement {
  const { t } = useTranslation();
  const [theme, setTheme] = useTheme();
  const isDark = theme === 'dark';
  return (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton aria-label={t('menu')} variant="plain">
            <BarsIcon />
          </PageToggleButton>
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo component={HomeLink}>
            <img src="/console/crate.svg" alt="" width={28} height={28} />
            <strong className="crate-brand">{t('product')}</strong>
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isFullHeight isStatic>
          <ToolbarContent>
            <ToolbarGroup align={{ default: 'alignEnd' }} variant="action-group-plain">
              <ToolbarItem>
                <Button variant="plain" icon={<SearchIcon />} onClick={onPalette}>
                  <span className="pf-v6-screen-reader">{t('palette.open')}</span>
                  <kbd className="crate-wide-only">{t('palette.keys')}</kbd>
                </Button>
              </ToolbarItem>
              <ToolbarItem>
                <Button
                  variant="plain"
                  icon={isDark ? <SunIcon /> : <MoonIcon />}
                  aria-label={t(isDark ? 'theme.toLight' : 'theme.toDark')}
                  onClick={() => setTheme(isDark ? 'light' : 'dark')}
                />
              </ToolbarItem>
              <ToolbarItem>
                <AccountMenu />
              </ToolbarItem>
            </ToolbarGroup>
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
}
