import type { Project } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { Choice } from '../../components/subpages/Choice.js';
import { useViewState } from '../../components/subpages/use-view-state.js';

/** Where entries are shown that belong to no Project. */
const PLATFORM = 'crate:platform';

/** One Project, all of them, or what belongs to none: for platform administrators. */
export function AnyProjectChoice(): ReactElement {
  const { t } = useTranslation('audit');
  const { items } = useLiveList<Project>(KINDS.project);
  const [{ project = '' }, setView] = useViewState();
  const names = [...new Set([...items.map(({ metadata }) => metadata.name), project])]
    .filter((name) => name !== '' && name !== PLATFORM)
    .sort((left, right) => left.localeCompare(right));
  return (
    <Choice
      label={t('project')}
      value={project}
      options={[
        { value: '', text: t('allProjects') },
        { value: PLATFORM, text: t('platform') },
        ...names.map((name) => ({ value: name, text: name })),
      ]}
      onChange={(chosen) => setView({ project: chosen, page: undefined })}
    />
  );
}
