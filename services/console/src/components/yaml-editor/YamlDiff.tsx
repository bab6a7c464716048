import { lazy, Suspense, type ReactElement } from 'react';
import { LoadingState } from '../LoadingState.js';
import type { YamlDiffProps } from './yaml-editor-props.js';

const Loaded = lazy(async () => ({ default: (await import('./LoadedYamlDiff.js')).LoadedYamlDiff }));

/** Shows what would change between two YAML documents; unchanged stretches are folded. Its code comes when it is drawn. */
export function YamlDiff(props: YamlDiffProps): ReactElement {
  return (
    <Suspense fallback={<LoadingState />}>
      <Loaded {...props} />
    </Suspense>
  );
}
