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
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnMenu } from './ColumnMenu.js';
import { FilterMenu } from './FilterMenu.js';
import { SearchBox } from './SearchBox.js';
import { ViewMenu } from './ViewMenu.js';
import {
  FILTERS,
  GROUPS,
  HEALTHS,
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
  readonly page: FleetPage | undefined;
}

type Option = { readonly word: string; readonly text: string; readonly count?: number };

/** Search, filters with what they are set to, columns and saved views. */
export function FleetToolbar({ search, onSearch, whole, page }: FleetToolbarProps): ReactElement {
  const { t } = useTranslation('fleet');
  const optionsOf = (name: FilterName): readonly Option[] =>
    name === 'health'
      ? HEALTHS.map((word) => ({ word, text: t(`health.${word}`), ...countOf(whole?.rollup.health[word]) }))
      : groupOptions(name, whole);
  const isOffered = (name: FilterName): boolean => optionsOf(name).length > 0 || wordsOf(search, name).length > 0;
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
          <SearchBox value={search.q ?? ''} onSearch={(q) => onSearch({ ...search, q }, true)} />
        </ToolbarItem>
        <ToolbarToggleGroup toggleIcon={<FilterIcon />} breakpoint="lg">
          <ToolbarGroup variant="filter-group">
            {FILTERS.map((name) => (
              <ToolbarFilter
                key={name}
                // There in any case: the toolbar goes on counting what a filter was set to that is gone.
                showToolbarItem={isOffered(name)}
                categoryName={{ key: name, name: t(`filter.${name}`) }}
                labels={wordsOf(search, name).map((word) => ({
                  key: word,
                  node: name === 'health' ? t(`health.${word}`) : word,
                }))}
                deleteLabel={(_category, label) =>
                  onSearch(withToggled(search, name, typeof label === 'string' ? label : label.key))
                }
                deleteLabelGroup={() => onSearch(withWords(search, name, []))}
              >
                <FilterMenu
                  label={t(`filter.${name}`)}
                  options={optionsOf(name)}
                  chosen={wordsOf(search, name)}
                  onToggle={(word) => onSearch(withToggled(search, name, word))}
                />
              </ToolbarFilter>
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
      </ToolbarContent>
    </Toolbar>
  );
}

function groupOptions(name: FilterName, whole: FleetPage | undefined): readonly Option[] {
  if (!(name in GROUPS)) return [];
  const groups = whole?.rollup[GROUPS[name as keyof typeof GROUPS]] ?? [];
  return groups.filter(({ key }) => key !== '').map(({ key, total }) => ({ word: key, text: key, count: total }));
}

function countOf(count: number | undefined): { count?: number } {
  return count === undefined ? {} : { count };
}
