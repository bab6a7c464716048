import { useTranslation } from 'react-i18next';
import { useTheme } from './theme.js';
import { useFoundClusters, useFoundProjects } from './use-found.js';
import { usePages } from './use-pages.js';

/** Something that the palette leads to. */
export interface Command {
  readonly id: string;
  readonly group: 'pages' | 'projects' | 'clusters' | 'actions';
  readonly text: string;
  readonly description?: string;
  readonly to?: string;
  /** In place of going to `to`. */
  readonly run?: () => void;
}

/** What a text leads to. */
export interface Found {
  readonly commands: readonly Command[];
  /** False until it is known which Projects and clusters fit. */
  readonly isAll: boolean;
}

/** What fits `query`: pages and actions by their words, Projects before clusters, which fit by the name of theirs, too. */
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
  const [projects, clusters] = [useFoundProjects(words), useFoundClusters(words)];
  const fitting = own.filter(({ text }) => text.toLowerCase().includes(words));
  const commands = [...fitting, ...projects.commands, ...clusters.commands];
  return { commands, isAll: projects.isAll && clusters.isAll };
}
