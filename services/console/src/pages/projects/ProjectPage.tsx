import type { Project } from '@crate/api';
import { EmptyState, Flex, PageSection } from '@patternfly/react-core';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useInCluster } from '../../api/use-in-cluster.js';
import { useLiveObject } from '../../api/use-live.js';
import { LiveContent } from '../../components/LiveContent.js';
import { PageHeading } from '../../components/PageHeading.js';
import { SubNav } from '../../components/subpages/SubNav.js';
import projects from '../../i18n/en/projects.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { ProjectProvider } from './project-context.js';

addStrings('projects', projects);

const TABS = ['overview', 'members', 'accounts', 'keys'] as const;

/** One Project: what it takes up, who belongs to it, and its ways to clouds and for machines. */
export function ProjectPage(): ReactElement {
  const { t } = useTranslation('projects');
  const { name = '' }: { readonly name?: string } = useParams({ strict: false });
  const live = useLiveObject<Project>(KINDS.project, name);
  const inCluster = useInCluster();
  // Where no clusters are made, nobody needs a way to a cloud, and none is served.
  const shown = TABS.filter((tab) => !(inCluster && tab === 'accounts'));
  const tabs = shown.map((tab) => ({ to: `/projects/${name}/${tab}`, text: t(`nav.${tab}`) }));
  return (
    <>
      <PageHeading title={name} subtitle={subtitleOf(live.object)} actions={<Ways project={name} />} />
      {live.object && <SubNav label={t('nav.label')} back={t('nav.back')} forward={t('nav.forward')} tabs={tabs} />}
      <PageSection isFilled aria-label={name}>
        <LiveContent of={live}>
          {live.object ? (
            <ProjectProvider value={live.object}>
              <Outlet />
            </ProjectProvider>
          ) : (
            <EmptyState headingLevel="h2" titleText={t('gone', { name })} />
          )}
        </LiveContent>
      </PageSection>
    </>
  );
}

function subtitleOf(project: Project | undefined): string | undefined {
  const words = [project?.spec.displayName, project?.spec.description].filter((text) => text !== undefined);
  return words.length === 0 ? undefined : words.join(' · ');
}

function Ways({ project }: { readonly project: string }): ReactElement {
  const { t } = useTranslation('projects');
  return (
    <Flex>
      <Link to="/" search={{ project }}>
        {t('toClusters')}
      </Link>
      <Link to="/policies/compliance" search={{ project }}>
        {t('toPolicies')}
      </Link>
      <Link to="/notifications" search={{ project }}>
        {t('toNotifications')}
      </Link>
    </Flex>
  );
}
