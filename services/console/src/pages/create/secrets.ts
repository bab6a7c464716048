import type { AddOn, ClusterClass } from '@crate/api';
import { addOnSchema } from '../../components/form/add-on-schema.js';
import type { DocumentPath } from '../../components/form/document-path.js';
import type { JsonSchema } from '../../components/yaml-editor/json-schema.js';
import type { Draft } from './draft.js';

/** Parameters that nobody but the server is to keep: marked as a password, or lists and maps with such a part. */
export function secretParameters(clusterClass: ClusterClass | undefined): readonly DocumentPath[] {
  return secretsIn(clusterClass?.spec.parameters ?? {}, ['spec', 'parameters']);
}

/** The same of the values of add-ons that a draft states. */
export function secretValues({ spec }: Draft, catalogue: readonly AddOn[]): readonly DocumentPath[] {
  return (spec.addOns ?? []).flatMap(({ name, version }, index) => {
    const addOn = catalogue.find(({ metadata }) => metadata.name === name);
    return secretsIn((addOn && addOnSchema(addOn, version)) ?? {}, ['spec', 'addOns', index, 'values']);
  });
}

function secretsIn(schema: JsonSchema, path: DocumentPath): readonly DocumentPath[] {
  if (schema.format === 'password') return [path];
  const { items, additionalProperties, properties = {} } = schema;
  const parts = [items, typeof additionalProperties === 'object' ? additionalProperties : undefined];
  if (parts.some((part) => part && secretsIn(part, path).length > 0)) return [path];
  return Object.entries(properties).flatMap(([name, member]) => secretsIn(member, [...path, name]));
}
