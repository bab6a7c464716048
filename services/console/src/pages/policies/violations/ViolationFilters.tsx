import { Grid, GridItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../../components/subpages/Choice.js';
import { TextFilter } from '../../../components/subpages/TextFilter.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { OUTCOMES, SEVERITIES, type Violation } from './violations.js';

interface ViolationFiltersProps {
  /** Of the Project. */
  readonly choice: ReactElement;
  /** From which clusters and rules are offered. */
  readonly violations: readonly Violation[];
}

/** Which violations are shown, and by what they are grouped; all of it stands in the URL. */
export function ViolationFilters({ choice, violations }: ViolationFiltersProps): ReactElement {
  const { t } = useTranslation('policies');
  const [state, setView] = useViewState();
  const any = { value: '', text: t('any') };
  const named = (names: readonly string[], chosen: string | undefined): { value: string; text: string }[] =>
    [...new Set(chosen === undefined ? names : [...names, chosen])]
      .sort((left, right) => left.localeCompare(right))
      .map((value) => ({ value, text: value }));
  const filters = {
    result: OUTCOMES.map((value) => ({ value, text: t(`outcome.${value}`) })),
    severity: SEVERITIES.map((value) => ({ value, text: t(`severity.${value}`) })),
    cluster: named(
      violations.map(({ cluster }) => cluster),
      state['cluster'],
    ),
    rule: named(
      violations.map(({ policy }) => policy),
      state['rule'],
    ),
  };
  return (
    <Grid hasGutter sm={6} lg={3}>
      <GridItem>{choice}</GridItem>
      <GridItem>
        <Choice
          label={t('violations.by')}
          value={state['by'] ?? 'rule'}
          options={(['rule', 'cluster'] as const).map((value) => ({ value, text: t(`violations.${value}`) }))}
          onChange={(by) => setView({ by: by === 'rule' ? undefined : by, page: undefined })}
        />
      </GridItem>
      {(['result', 'severity', 'cluster', 'rule'] as const).map((name) => (
        <GridItem key={name}>
          <Choice
            label={t(`violations.${name}`)}
            value={state[name] ?? ''}
            options={[any, ...filters[name]]}
            onChange={(value) => setView({ [name]: value, page: undefined })}
          />
        </GridItem>
      ))}
      <GridItem sm={12} lg={6}>
        <TextFilter
          label={t('violations.search')}
          value={state['q']}
          onChange={(q) => setView({ q, page: undefined })}
        />
      </GridItem>
    </Grid>
  );
}
