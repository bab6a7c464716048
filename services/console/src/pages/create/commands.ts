import { collectionPath, KINDS } from '../../api/paths.js';
import { draftYaml, type Draft } from './draft.js';

/** Ways to apply a draft from a terminal. */
export const TOOLS = ['kubectl', 'crate', 'curl'] as const;

export type Tool = (typeof TOOLS)[number];

/** What stands for what nobody has filled in yet: no cluster can have it, so that it is refused where it was left. */
const PLACEHOLDERS = { name: '<NAME>', namespace: '<PROJECT>' } as const;

/** Placeholders that the command for this draft has, in the order of the form. Pure. */
export function placeholdersOf({ metadata }: Draft): readonly string[] {
  return (['namespace', 'name'] as const).filter((field) => !metadata[field]).map((field) => PLACEHOLDERS[field]);
}

/** The command that does with a draft what the page's button does; what is missing is a placeholder. */
export function commandOf(tool: Tool, started: Draft): string {
  const draft = filled(started);
  const document = `<<'END'\n${draftYaml(draft)}END\n`;
  if (tool === 'kubectl') return `kubectl apply -f - ${document}`;
  if (tool === 'crate') return `crate apply -f - ${document}`;
  // It is to be read, and not to be sent as it is.
  const path = collectionPath(KINDS.cluster, draft.metadata.namespace);
  const url = `${location.origin}${path.replace(encodeURIComponent(PLACEHOLDERS.namespace), PLACEHOLDERS.namespace)}`;
  return [
    `curl -sS --fail-with-body '${url}' \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/yaml' \\`,
    `  --data-binary @- ${document}`,
  ].join('\n');
}

function filled(draft: Draft): Draft {
  if (placeholdersOf(draft).length === 0) return draft;
  const { name, namespace, ...metadata } = draft.metadata;
  return {
    ...draft,
    metadata: { name: name || PLACEHOLDERS.name, namespace: namespace || PLACEHOLDERS.namespace, ...metadata },
  };
}
