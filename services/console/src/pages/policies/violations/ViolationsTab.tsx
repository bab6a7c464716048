import type { PolicyReport, Project } from '@crate/api';
import { Alert, EmptyState, EmptyStateBody, Stack, StackItem } from '@patternfly/react-core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useLiveList, useLiveObject, type LiveSelection } from '../../../api/use-live.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { pageOf, Pages } from '../../../components/subpages/Pages.js';
import { ProjectChoice } from '../../../components/subpages/ProjectChoice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { ExportLinks } from '../ExportLinks.js';
import { ViolationFilters } from './ViolationFilters.js';
import { ViolationCard } from './ViolationCard.js';
import { filtered, grouped, omittedOf, violationsOf } from './violations.js';

const PER_PAGE = 20;
/** Reports of more clusters than these are too much to load, unless somebody asks for one of them. */
const MANY = 50;

/** What breaks rules in a Project now. */
export function ViolationsTab(): ReactElement {
  return (
    <ProjectChoice>{(project, choice) => <OfProject key={project} project={project} choice={choice} />}</ProjectChoice>
  );
}

interface OfProjectProps {
  readonly project: string;
  readonly choice: ReactElement;
}

function OfProject({ project, choice }: OfProjectProps): ReactElement {
  const { object, liveness } = useLiveObject<Project>(KINDS.project, project);
  if (!object && liveness === 'loading') return <LoadingState />;
  return <ProjectViolations project={project} choice={choice} clusters={object?.status?.usage?.clusters ?? 0} />;
}

interface ProjectViolationsProps extends OfProjectProps {
  /** How many there are. */
  readonly clusters: number;
}

function ProjectViolations({ project, choice, clusters }: ProjectViolationsProps): ReactElement {
  const { t } = useTranslation('policies');
  const [{ by, page, q, result, severity, rule, cluster }] = useViewState();
  const isSummary = cluster === undefined && clusters > MANY;
  const live = useLiveList<PolicyReport>(KINDS.policyReport, {
    namespace: project,
    ...reportsOf(project, cluster, isSummary),
  });
  const all = useMemo(() => violationsOf(live.items), [live.items]);
  const groups = useMemo(
    () => grouped(filtered(all, { q, result, severity, rule, cluster }), by === 'cluster' ? 'cluster' : 'rule'),
    [all, q, result, severity, rule, cluster, by],
  );
  const omitted = omittedOf(live.items);
  return (
    <Stack hasGutter>
      <StackItem>
        <ViolationFilters choice={choice} violations={all} />
      </StackItem>
      <StackItem>
        <ExportLinks project={project} cluster={cluster} />
      </StackItem>
      <LiveContent of={live}>
        {all.length === 0 ? (
          <NoViolations isJudged={live.items.length > 0} cluster={cluster} />
        ) : (
          <>
            {/* There before its text is: only so is it told. */}
            <div role="status">{groups.length === 0 && <p>{t('violations.noMatch')}</p>}</div>
            {isSummary && (
              <Alert variant="info" isInline component="h2" title={t('violations.summary', { clusters })} />
            )}
            {omitted > 0 && <p>{t('violations.omitted', { count: omitted })}</p>}
            {pageOf(groups, page, PER_PAGE).map((group) => (
              <StackItem key={group.key}>
                <ViolationCard group={group} by={by === 'cluster' ? 'cluster' : 'rule'} project={project} />
              </StackItem>
            ))}
            <Pages count={groups.length} perPage={PER_PAGE} label={t('pages')} />
          </>
        )}
      </LiveContent>
    </Stack>
  );
}

interface NoViolationsProps {
  /** Whether there is a report that says so. */
  readonly isJudged: boolean;
  readonly cluster: string | undefined;
}

function NoViolations({ isJudged, cluster }: NoViolationsProps): ReactElement {
  const { t } = useTranslation('policies');
  const none = { title: t('violations.none'), help: t('violations.noneHelp') };
  const ofCluster = { title: t('violations.noReport', { cluster }), help: t('violations.noReportHelp') };
  const ofProject = { title: t('compliance.none'), help: t('compliance.noneHelp') };
  const { title, help } = isJudged ? none : cluster === undefined ? ofProject : ofCluster;
  return (
    <EmptyState headingLevel="h2" titleText={title}>
      <EmptyStateBody>{help}</EmptyStateBody>
    </EmptyState>
  );
}

function reportsOf(project: string, cluster: string | undefined, isSummary: boolean): LiveSelection {
  if (cluster !== undefined) return { fieldSelector: `metadata.name=${cluster}` };
  return isSummary
    ? { fieldSelector: `metadata.name=project.${project}` }
    : { labelSelector: 'policy.crate.dev/scope=cluster' };
}
