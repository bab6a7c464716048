import type { Project } from '@crate/api';
import { EmptyState, EmptyStateBody, PageSection, Toolbar, ToolbarContent, ToolbarItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { DeedButton } from '../../components/access/DeedButton.js';
import { useMay, type Deed } from '../../components/access/use-may.js';
import { LiveContent } from '../../components/LiveContent.js';
import { PageHeading } from '../../components/PageHeading.js';
import { TextFilter } from '../../components/subpages/TextFilter.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import projects from '../../i18n/en/projects.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { CreateProjectDialog } from './CreateProjectDialog.js';
import { ProjectTable } from './ProjectTable.js';

addStrings('projects', projects);

const CREATE: Deed = { verb: 'create', kind: KINDS.project };

/** The teams that the person may see. */
export function ProjectsPage(): ReactElement {
  const { t } = useTranslation('projects');
  const live = useLiveList<Project>(KINDS.project);
  const [{ q = '' }, setView] = useViewState();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMay(CREATE);
  const words = q.toLowerCase();
  const found = live.items.filter(({ metadata, spec }) =>
    `${metadata.name} ${spec.displayName ?? ''}`.toLowerCase().includes(words),
  );
  return (
    <>
      <PageHeading
        title={t('title')}
        subtitle={t('subtitle')}
        actions={
          <DeedButton needs={CREATE} onClick={() => setCreating(true)}>
            {t('create')}
          </DeedButton>
        }
      />
      <PageSection isFilled aria-label={t('title')}>
        <LiveContent of={live}>
          {live.items.length === 0 ? (
            <EmptyState headingLevel="h2" titleText={t('empty')}>
              <EmptyStateBody>{t(mayCreate ? 'emptyHelpMay' : 'emptyHelp')}</EmptyStateBody>
            </EmptyState>
          ) : (
            <>
              <Toolbar>
                <ToolbarContent>
                  <ToolbarItem>
                    <TextFilter label={t('search')} value={q} onChange={(text) => setView({ q: text })} />
                  </ToolbarItem>
                </ToolbarContent>
              </Toolbar>
              {/* There before its text is: only so is it told. */}
              <div role="status">{found.length === 0 && <p>{t('noMatch')}</p>}</div>
              {found.length > 0 && <ProjectTable projects={found} />}
            </>
          )}
        </LiveContent>
      </PageSection>
      {isCreating && <CreateProjectDialog onClose={() => setCreating(false)} />}
    </>
  );
}
