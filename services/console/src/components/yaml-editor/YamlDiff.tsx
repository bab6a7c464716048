import { partOfPage } from '../../app/PartOfPage.js';
import type { YamlDiffProps } from './yaml-editor-props.js';

/** Shows what would change between two YAML documents; unchanged stretches are folded. Its code comes when it is drawn. */
export const YamlDiff = partOfPage<YamlDiffProps>(async () => (await import('./LoadedYamlDiff.js')).LoadedYamlDiff, {
  // One of them is what somebody has just typed.
  mayReload: false,
});
