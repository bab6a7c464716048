import type { Project } from '@crate/api';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useLiveList } from '../../api/use-live.js';
import { LiveContent } from '../LiveContent.js';
import { Choice } from './Choice.js';
import { useViewState } from './use-view-state.js';

interface ProjectChoiceProps {
  /** Drawn for the Project of the URL, or for the first that the person may see. */
  readonly children: (project: string, choice: ReactElement) => ReactElement;
}

/** What the URL says of the Project before: the next has clusters of its own. */
const OF_ANOTHER = { page: undefined, cluster: undefined };

/** A view of one Project at a time; which one stands in the URL. */
export function ProjectChoice({ children }: ProjectChoiceProps): ReactElement {
  const { t } = useTranslation();
  const live = useLiveList<Project>(KINDS.project);
  const [{ project: chosen }, setView] = useViewState();
  const names = live.items.map(({ metadata }) => metadata.name).sort((left, right) => left.localeCompare(right));
  const project = chosen ?? names[0];
  const offered = project === undefined || names.includes(project) ? names : [project, ...names];
  const choice = (
    <Choice
      label={t('scope.project')}
      value={project ?? ''}
      options={offered.map((name) => ({ value: name, text: name }))}
      onChange={(name) => setView({ ...OF_ANOTHER, project: name })}
    />
  );
  if (chosen === undefined && (live.liveness === 'loading' || live.liveness === 'failed')) {
    return (
      <LiveContent of={live}>
        <></>
      </LiveContent>
    );
  }
  return project === undefined ? <p>{t('scope.none')}</p> : children(project, choice);
}
