import type { FleetPage, FleetRow, Project } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../api/http.js';
import { collectionPath, KINDS } from '../api/paths.js';
import { LONGEST_TEXT } from '../pages/fleet/fleet-search.js';
import type { Command, Found } from './use-commands.js';

/** Of each kind. */
const MOST = 8;

/** Clusters that fit, as the fleet's own search finds them. */
export function useFoundClusters(text: string): Found {
  const words = text.slice(0, LONGEST_TEXT).trim();
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['palette', words],
    queryFn: ({ signal }) =>
      apiJson<FleetPage>(`/fleet/clusters?${new URLSearchParams({ q: words, limit: String(MOST) })}`, { signal }),
    enabled: words !== '',
    placeholderData: (before) => before,
  });
  if (words === '') return { commands: [], isAll: true };
  // Of what was found for other words only what these fit, too: Enter goes to the first.
  const isFit = ({ namespace, name }: FleetRow): boolean => fits(words, `${namespace} ${name}`);
  const rows = data?.rows ?? [];
  const commands = (isPlaceholderData ? rows.filter(isFit) : rows).map(({ uid, namespace, name, health }): Command => ({
    id: `cluster:${uid}`,
    group: 'clusters',
    text: name,
    description: `${namespace} · ${health}`,
    to: `/clusters/${namespace}/${name}`,
  }));
  return { commands, isAll: data !== undefined && !isPlaceholderData };
}

/** Projects whose name, or whose name for people, fits; all are read when the palette opens. */
export function useFoundProjects(words: string): Found {
  const { data } = useQuery({
    queryKey: ['palette projects'],
    queryFn: ({ signal }) => apiJson<{ readonly items: readonly Project[] }>(collectionPath(KINDS.project), { signal }),
  });
  if (words === '') return { commands: [], isAll: true };
  const found = (data?.items ?? []).filter(({ metadata, spec }) =>
    fits(words, `${metadata.name} ${spec.displayName ?? ''}`),
  );
  return { commands: found.slice(0, MOST).map(commandOf), isAll: data !== undefined };
}

function commandOf({ metadata: { name }, spec: { displayName } }: Project): Command {
  const description = displayName === undefined ? {} : { description: displayName };
  return { id: `project:${name}`, group: 'projects', text: name, ...description, to: `/projects/${name}` };
}

/** Whether all words, in lower case, are in a text. */
function fits(words: string, text: string): boolean {
  return words.split(/\s+/).every((word) => text.toLowerCase().includes(word));
}
