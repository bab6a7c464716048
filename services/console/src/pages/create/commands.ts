import { collectionPath, KINDS } from '../../api/paths.js';
import { draftYaml, type Draft } from './draft.js';

/** Ways to apply a draft from a terminal. */
export const TOOLS = ['kubectl', 'crate', 'curl'] as const;

export type Tool = (typeof TOOLS)[number];

/** The command that does with a draft what the page's button does. */
export function commandOf(tool: Tool, draft: Draft): string {
  const document = `<<'END'\n${draftYaml(draft)}END\n`;
  if (tool === 'kubectl') return `kubectl apply -f - ${document}`;
  if (tool === 'crate') return `crate apply -f - ${document}`;
  const url = `${location.origin}${collectionPath(KINDS.cluster, draft.metadata.namespace ?? '')}`;
  return [
    `curl -sS --fail-with-body '${url}' \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/yaml' \\`,
    `  --data-binary @- ${document}`,
  ].join('\n');
}
