import type { AddOn } from '@crate/api';
import type { JsonSchema } from '../yaml-editor/json-schema.js';

/** Versions of an add-on that a cluster may state, the newest first. Pure. */
export function addOnVersions({ spec }: AddOn): readonly string[] {
  return [spec.version, ...(spec.earlier ?? []).map(({ version }) => version)];
}

/** Schema of the values in a version, or in the newest; undefined when it takes none. Pure. */
export function addOnSchema({ spec }: AddOn, version: string | undefined): JsonSchema | undefined {
  const content =
    version === undefined ? spec : [spec, ...(spec.earlier ?? [])].find((each) => each.version === version);
  const schema = content?.valuesSchema as JsonSchema | undefined;
  return schema?.properties && Object.keys(schema.properties).length > 0 ? schema : undefined;
}
