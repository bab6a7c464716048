import type { FleetPage, FleetRow } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../api/http.js';
import { LONGEST_TEXT } from '../pages/fleet/fleet-search.js';
import { useTheme } from './theme.js';
import { usePages } from './use-pages.js';

/** Something that the palette leads to. */
export interface Command {
  readonly id: string;
  readonly group: 'pages' | 'clusters' | 'actions';
  readonly text: string;
  readonly description?: string;
  readonly to?: string;
  /** In place of going to `to`. */
  readonly run?: () => void;
}

const MOST_CLUSTERS = 8;

/** What a text leads to. */
export interface Found {
  readonly commands: readonly Command[];
  /** False until it is known which clusters fit. */
  readonly isAll: boolean;
}

/** What fits `query`: pages and actions by their words, clusters as the fleet's own search finds them. */
export function useCommands(query: string): Found {
  const { t } = useTranslation();
  const pages = usePages();
  const [theme, setTheme] = useTheme();
  const next = theme === 'dark' ? 'light' : 'dark';
  const own: Command[] = [
    ...pages.map(({ to, name }): Command => ({ id: `page:${name}`, group: 'pages', text: t(`nav.${name}`), to })),
    {
      id: 'theme',
      group: 'actions',
      text: t(next === 'dark' ? 'theme.toDark' : 'theme.toLight'),
      run: () => setTheme(next),
    },
  ];
  const words = query.trim().toLowerCase();
  const clusters = useClusterCommands(words);
  const commands = [...own.filter(({ text }) => text.toLowerCase().includes(words)), ...clusters.commands];
  return { ...clusters, commands };
}

function useClusterCommands(text: string): Found {
  const words = text.slice(0, LONGEST_TEXT).trim();
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['palette', words],
    queryFn: ({ signal }) =>
      apiJson<FleetPage>(`/fleet/clusters?${new URLSearchParams({ q: words, limit: String(MOST_CLUSTERS) })}`, {
        signal,
      }),
    enabled: words !== '',
    placeholderData: (before) => before,
  });
  if (words === '') return { commands: [], isAll: true };
  // Of what was found for other words only what these fit, too: Enter goes to the first.
  const fits = ({ namespace, name }: FleetRow): boolean =>
    words.split(/\s+/).every((word) => `${namespace} ${name}`.toLowerCase().includes(word));
  const rows = data?.rows ?? [];
  const commands = (isPlaceholderData ? rows.filter(fits) : rows).map(({ uid, namespace, name, health }): Command => ({
    id: `cluster:${uid}`,
    group: 'clusters',
    text: name,
    description: `${namespace} · ${health}`,
    to: `/clusters/${namespace}/${name}`,
  }));
  return { commands, isAll: data !== undefined && !isPlaceholderData };
}
