import type { FleetPage } from '@crate/api';
import {
  Toolbar,
  ToolbarContent,
  ToolbarFilter,
  ToolbarGroup,
  ToolbarItem,
  ToolbarToggleGroup,
} from '@patternfly/react-core';
import { FilterIcon } from '@patternfly/react-icons';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TextFilter } from '../../components/subpages/TextFilter.js';
import { ColumnMenu } from './ColumnMenu.js';
import { FilterMenu } from './FilterMenu.js';
import type { FleetSnapshot } from './fleet-feed.js';
import { ViewMenu } from './ViewMenu.js';
import {
  FILTERS,
  GROUPS,
  HEALTHS,
  parseFleetSearch,
  withoutFilters,
  withToggled,
  withWords,
  wordsOf,
  type FilterName,
  type FleetSearch,
} from './fleet-search.js';

interface FleetToolbarProps {
  readonly search: FleetSearch;
  readonly onSearch: (next: FleetSearch, replace?: boolean) => void;
  /** What the filters have to offer. */
  readonly whole: FleetPage | undefined;
  readonly fleet: Pick<FleetSnapshot, 'page' | 'query'>;
}

/** Search, filters with what they are set to, columns and saved views. */
export function FleetToolbar({ search, onSearch, whole, fleet }: FleetToolbarProps): ReactElement {
  const { t } = useTranslation('fleet');
  const { page } = fleet;
  return (
    <Toolbar
      clearAllFilters={() => onSearch(withoutFilters(search))}
      className="crate-fleet-toolbar"
      clearFiltersButtonText={t('clear')}
      numberOfFiltersText={(count) => t('filtersSet', { count })}
      collapseListedFiltersBreakpoint="lg"
    >
      <ToolbarContent>
        <ToolbarItem>
          <TextFilter
            label={t('search')}
            value={search.q}
            onChange={(text) => onSearch(parseFleetSearch({ ...search, q: text.trim() }), true)}
          />
        </ToolbarItem>
        <ToolbarToggleGroup toggleIcon={<FilterIcon />} breakpoint="lg">
          <ToolbarGroup variant="filter-group">
            {FILTERS.map((name) => (
              <Filter key={name} name={name} search={search} onSearch={onSearch} whole={whole} />
            ))}
          </ToolbarGroup>
        </ToolbarToggleGroup>
        <ToolbarGroup variant="action-group">
          <ToolbarItem>
            <ViewMenu search={search} onSearch={onSearch} />
          </ToolbarItem>
          <ToolbarItem>
            <ColumnMenu search={search} onSearch={onSearch} />
          </ToolbarItem>
        </ToolbarGroup>
        {page && (
          <ToolbarItem align={{ default: 'alignEnd' }} alignSelf="center">
            {t('matching', { matching: page.matching, count: page.total })}
          </ToolbarItem>
        )}
        <Found fleet={fleet} />
      </ToolbarContent>
    </Toolbar>
  );
}

/** Tells what each search found, and not how that changes from then on. */
function Found({ fleet: { page, query } }: Pick<FleetToolbarProps, 'fleet'>): ReactElement {
  const { t } = useTranslation('fleet');
  const [told, setTold] = useState({ of: query, text: '' });
  if (page && query !== told.of) {
    const { matching, total: count } = page;
    setTold({ of: query, text: matching === 0 ? t('nothing.title') : t('matching', { matching, count }) });
  }
  return (
    <span role="status" className="pf-v6-screen-reader">
      {told.text}
    </span>
  );
}

interface FilterProps extends Omit<FleetToolbarProps, 'fleet'> {
  readonly name: FilterName;
}

/** What can be chosen of one filter, and what is chosen. */
function Filter({ name, search, onSearch, whole }: FilterProps): ReactElement {
  const { t } = useTranslation('fleet');
  const chosen = wordsOf(search, name);
  const options =
    name === 'health'
      ? HEALTHS.map((word) => ({ word, text: t(`health.${word}`), ...countOf(whole?.rollup.health[word]) }))
      : groupOptions(name, whole);
  return (
    <ToolbarFilter
      // There in any case: the toolbar goes on counting what a filter was set to that is gone.
      showToolbarItem={options.length > 0 || chosen.length > 0}
      categoryName={{ key: name, name: t(`filter.${name}`) }}
      labels={chosen.map((word) => ({ key: word, node: name === 'health' ? t(`health.${word}`) : word }))}
      deleteLabel={(_category, label) =>
        onSearch(withToggled(search, name, typeof label === 'string' ? label : label.key))
      }
      deleteLabelGroup={() => onSearch(withWords(search, name, []))}
    >
      <FilterMenu
        label={t(`filter.${name}`)}
        options={options}
        chosen={chosen}
        onToggle={(word) => onSearch(withToggled(search, name, word))}
      />
    </ToolbarFilter>
  );
}

interface Option {
  readonly word: string;
  readonly text: string;
  readonly count?: number;
}

function groupOptions(name: FilterName, whole: FleetPage | undefined): readonly Option[] {
  if (!(name in GROUPS)) return [];
  const groups = whole?.rollup[GROUPS[name as keyof typeof GROUPS]] ?? [];
  return groups.filter(({ key }) => key !== '').map(({ key, total }) => ({ word: key, text: key, count: total }));
}

function countOf(count: number | undefined): { count?: number } {
  return count === undefined ? {} : { count };
}
