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
  const [{ by = 'rule', q, ...state }, setView] = useViewState();
  const any = { value: '', text: t('any') };
  const options = useFilterOptions(violations);
  return (
    <Grid hasGutter sm={6} lg={3}>
      <GridItem>{choice}</GridItem>
      <GridItem>
        <Choice
          label={t('violations.by')}
          value={by}
          options={(['rule', 'cluster'] as const).map((value) => ({ value, text: t(`violations.${value}`) }))}
          onChange={(chosen) => setView({ by: chosen === 'rule' ? undefined : chosen, page: undefined })}
        />
      </GridItem>
      {(['result', 'severity', 'cluster', 'rule'] as const).map((name) => (
        <GridItem key={name}>
          <Choice
            label={t(`violations.${name}`)}
            value={state[name] ?? ''}
            options={[any, ...options[name]]}
            onChange={(value) => setView({ [name]: value, page: undefined })}
          />
        </GridItem>
      ))}
      <GridItem sm={12} lg={6}>
        <TextFilter
          label={t('violations.search')}
          value={q}
          onChange={(text) => setView({ q: text, page: undefined })}
        />
      </GridItem>
    </Grid>
  );
}

interface Option {
  readonly value: string;
  readonly text: string;
}

/** What each filter offers: clusters and rules that something is told of, and the chosen one in any case. */
function useFilterOptions(
  violations: readonly Violation[],
): Readonly<Record<'result' | 'severity' | 'cluster' | 'rule', readonly Option[]>> {
  const { t } = useTranslation('policies');
  const [{ cluster, rule }] = useViewState();
  return {
    result: OUTCOMES.map((value) => ({ value, text: t(`outcome.${value}`) })),
    severity: SEVERITIES.map((value) => ({ value, text: t(`severity.${value}`) })),
    cluster: namedOptions([...violations.map((each) => each.cluster), ...(cluster === undefined ? [] : [cluster])]),
    rule: namedOptions([...violations.map(({ policy }) => policy), ...(rule === undefined ? [] : [rule])]),
  };
}

/** Each name once, by the alphabet. */
function namedOptions(names: readonly string[]): readonly Option[] {
  return [...new Set(names)].sort((left, right) => left.localeCompare(right)).map((value) => ({ value, text: value }));
}
