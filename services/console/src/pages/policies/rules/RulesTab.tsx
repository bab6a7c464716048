import type { Policy } from '@crate/api';
import { Grid, GridItem, Stack, StackItem } from '@patternfly/react-core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { Choice } from '../../../components/subpages/Choice.js';
import { pageOf, Pages } from '../../../components/subpages/Pages.js';
import { ProjectChoice } from '../../../components/subpages/ProjectChoice.js';
import { TextFilter } from '../../../components/subpages/TextFilter.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { SEVERITIES } from '../violations/violations.js';
import { packOf, rulesFor } from './rule-view.js';
import { RuleTable } from './RuleTable.js';

const PER_PAGE = 25;
const LEVELS = ['must', 'should', 'may'] as const;
const STAGES = ['ClusterSpec', 'TerraformPlan', 'EngineConfig', 'Manifest'] as const;

/** All rules, in their packs, and how each acts in a Project. */
export function RulesTab(): ReactElement {
  const { t } = useTranslation('policies');
  const live = useLiveList<Policy>(KINDS.policy);
  const [{ q, pack, level, severity, stage, page }] = useViewState();
  const rules = useMemo(
    () => rulesFor(live.items, { q, pack, level, severity, stage }),
    [live.items, q, pack, level, severity, stage],
  );
  return (
    <ProjectChoice>
      {(project, choice) => (
        <Stack hasGutter>
          <StackItem>
            <RuleFilters choice={choice} policies={live.items} />
          </StackItem>
          <StackItem>
            <LiveContent of={live}>
              <p role="status">{rules.length === 0 ? t('rules.none') : t('rules.count', { count: rules.length })}</p>
              {rules.length > 0 && <RuleTable rules={pageOf(rules, page, PER_PAGE)} project={project} />}
              <Pages count={rules.length} perPage={PER_PAGE} label={t('pages')} />
            </LiveContent>
          </StackItem>
        </Stack>
      )}
    </ProjectChoice>
  );
}

interface RuleFiltersProps {
  readonly choice: ReactElement;
  readonly policies: readonly Policy[];
}

function RuleFilters({ choice, policies }: RuleFiltersProps): ReactElement {
  const { t } = useTranslation('policies');
  const [state, setView] = useViewState();
  const packs = [...new Set(policies.map(packOf))].sort((left, right) => left.localeCompare(right));
  const filters = {
    pack: packs.map((value) => (value === '' ? { value: 'own', text: t('rules.own') } : { value, text: value })),
    level: LEVELS.map((value) => ({ value, text: t(`level.${value}`) })),
    severity: SEVERITIES.map((value) => ({ value, text: t(`severity.${value}`) })),
    stage: STAGES.map((value) => ({ value, text: value })),
  };
  return (
    <Grid hasGutter sm={6} lg={4}>
      <GridItem>{choice}</GridItem>
      {(['pack', 'level', 'severity', 'stage'] as const).map((name) => (
        <GridItem key={name}>
          <Choice
            label={t(`rules.${name}`)}
            value={state[name] ?? ''}
            options={[{ value: '', text: t('any') }, ...filters[name]]}
            onChange={(value) => setView({ [name]: value, page: undefined })}
          />
        </GridItem>
      ))}
      <GridItem sm={12}>
        <TextFilter label={t('rules.search')} value={state['q']} onChange={(q) => setView({ q, page: undefined })} />
      </GridItem>
    </Grid>
  );
}
