import { Page, SkipToContent } from '@patternfly/react-core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandPalette } from './CommandPalette.js';
import { ConnectionBanner } from './ConnectionBanner.js';
import { Navigation } from './Navigation.js';
import { SessionEnd } from './SessionEnd.js';
import { TopBar } from './TopBar.js';
import { usePaletteKey } from './use-palette-key.js';

const MAIN = 'main-content';

/** Bar, navigation and the page's own content. */
export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const { t } = useTranslation();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  usePaletteKey(() => setPaletteOpen(true));
  return (
    <Page
      masthead={<TopBar onPalette={() => setPaletteOpen(true)} />}
      sidebar={<Navigation />}
      skipToContent={<SkipToContent href={`#${MAIN}`}>{t('skip')}</SkipToContent>}
      mainContainerId={MAIN}
      isManagedSidebar
    >
      <ConnectionBanner />
      <SessionEnd />
      {children}
      {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
    </Page>
  );
}
