import { partOfPage } from '../../app/PartOfPage.js';
import type { YamlEditorProps } from './yaml-editor-props.js';

/**
 * Edits YAML: completes and explains by a schema, shows at their lines what the schema and the server object to. Its code
 * comes when it is first drawn. Tab indents; Escape and then Tab leaves.
 */
export const YamlEditor = partOfPage<YamlEditorProps>(
  async () => (await import('./LoadedYamlEditor.js')).LoadedYamlEditor,
  // It stands among what was typed: in the last step of the wizard, secrets too, which nothing keeps.
  { mayReload: false },
);
