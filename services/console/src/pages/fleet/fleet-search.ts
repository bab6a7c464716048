import type { FleetHealth, FleetRollup } from '@crate/api';

/** What rows can be filtered by; each is a list of words in the URL. */
export const FILTERS = ['health', 'project', 'region', 'version', 'provider', 'class', 'engine'] as const;

export type FilterName = (typeof FILTERS)[number];

/** State of the fleet's page, as its URL has it. */
export type FleetSearch = Readonly<Partial<Record<FilterName | 'q' | 'sort' | 'columns', string>>>;

/** From what is most pressing. */
export const HEALTHS: readonly FleetHealth[] = [
  'Failing',
  'Blocked',
  'Degraded',
  'Progressing',
  'Deleting',
  'Paused',
  'Healthy',
];

/** What comes first when nobody says otherwise: what needs a person. */
export const USUAL_SORT = '-attention';

const KEYS = [...FILTERS, 'q', 'sort', 'columns'] as const;

/** Takes from a URL what the page knows; numbers and words alike are texts. */
export function parseFleetSearch(raw: Readonly<Record<string, unknown>>): FleetSearch {
  const stated = KEYS.flatMap((key) => {
    const value = raw[key];
    return typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [];
  });
  return Object.fromEntries(stated.filter(([, value]) => value !== '')) as FleetSearch;
}

/** Words of one filter. */
export function wordsOf(search: FleetSearch, name: FilterName | 'columns'): readonly string[] {
  return (search[name] ?? '').split(',').filter((word) => word !== '');
}

/** The same search with one word of a filter put in, or taken out when it is there. */
export function withToggled(search: FleetSearch, name: FilterName, word: string): FleetSearch {
  const words = wordsOf(search, name);
  return withWords(search, name, words.includes(word) ? words.filter((each) => each !== word) : [...words, word]);
}

/** The same search with these words for a filter. */
export function withWords(search: FleetSearch, name: FilterName | 'columns', words: readonly string[]): FleetSearch {
  return parseFleetSearch({ ...search, [name]: words.join(',') });
}

/** The same search without any filter; order and columns stay. */
export function withoutFilters({ sort, columns }: FleetSearch): FleetSearch {
  return parseFleetSearch({ sort, columns });
}

/** True when some clusters may be left out. */
export function isFiltered(search: FleetSearch): boolean {
  return search.q !== undefined || FILTERS.some((name) => wordsOf(search, name).length > 0);
}

/** The server takes no longer text. The beginning of a cause that somebody pasted finds what all of it would. */
export const LONGEST_TEXT = 200;

/** The parameters that the fleet is asked with, without the page's place in it. */
export function fleetQuery({ columns: _columns, q, ...asked }: FleetSearch): string {
  const text: Readonly<Record<string, string>> = q === undefined ? {} : { q: q.slice(0, LONGEST_TEXT).trim() };
  return new URLSearchParams({ ...asked, ...text, sort: asked.sort ?? USUAL_SORT }).toString();
}

/** Group counts of a filter that has them. */
export const GROUPS = {
  project: 'byProject',
  region: 'byRegion',
  version: 'byVersion',
  provider: 'byProvider',
} as const satisfies Partial<Record<FilterName, keyof FleetRollup>>;

export type GroupName = keyof typeof GROUPS;
