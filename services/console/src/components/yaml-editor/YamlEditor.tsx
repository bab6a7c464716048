import { lazy, Suspense, type ReactElement } from 'react';
import { LoadingState } from '../LoadingState.js';
import type { YamlEditorProps } from './yaml-editor-props.js';

const Loaded = lazy(async () => ({ default: (await import('./LoadedYamlEditor.js')).LoadedYamlEditor }));

/**
 * Edits YAML: completes and explains by a schema, shows at their lines what the schema and the server object to. Its code
 * comes when it is first drawn. Tab indents; Escape and then Tab leaves.
 */
export function YamlEditor(props: YamlEditorProps): ReactElement {
  return (
    <Suspense fallback={<LoadingState />}>
      <Loaded {...props} />
    </Suspense>
  );
}
