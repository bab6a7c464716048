import { PageSection } from '@patternfly/react-core';
import { Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeading } from '../../components/PageHeading.js';
import { SubNav } from '../../components/subpages/SubNav.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import policies from '../../i18n/en/policies.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';

addStrings('policies', policies);

const TABS = ['compliance', 'violations', 'rules', 'waivers', 'try'] as const;

/** Rules, what breaks them, and who said that they need not hold. */
export function PoliciesPage(): ReactElement {
  const { t } = useTranslation('policies');
  const [{ project }] = useViewState();
  const tabs = TABS.map((tab) => ({ to: `/policies/${tab}`, text: t(`nav.${tab}`) }));
  return (
    <>
      <PageHeading title={t('title')} subtitle={t('subtitle')} />
      <SubNav label={t('nav.label')} back={t('nav.back')} forward={t('nav.forward')} tabs={tabs} search={{ project }} />
      <PageSection isFilled aria-label={t('title')}>
        <Outlet />
      </PageSection>
    </>
  );
}
