import type { AddOn, ClusterClass } from '@crate/api';
import { addOnSchema, addOnVersions } from '../../components/form/add-on-schema.js';
import type { DocumentPath } from '../../components/form/document-path.js';
import type { JsonSchema } from '../../components/yaml-editor/json-schema.js';
import type { Draft } from './draft.js';

/**
 * Parameters of a draft that nobody but the server is to keep: marked as a password, or lists and maps with such a part. All of them
 * while nobody knows the class, such as before it is there, or where it is the Project's as none is named.
 */
export function secretParameters({ spec }: Draft, classes: readonly ClusterClass[]): readonly DocumentPath[] {
  const name = spec.classRef?.name;
  const path = ['spec', 'parameters'];
  const clusterClass = classes.find(({ metadata }) => metadata.name === name);
  return clusterClass ? secretsIn(clusterClass.spec.parameters ?? {}, path) : [path];
}

/** The same of the values of add-ons that a draft states: all of them of one, or of a version, that nobody knows. */
export function secretValues({ spec }: Draft, catalogue: readonly AddOn[]): readonly DocumentPath[] {
  return (spec.addOns ?? []).flatMap(({ name, version }, index) => {
    const addOn = catalogue.find(({ metadata }) => metadata.name === name);
    const path = ['spec', 'addOns', index, 'values'];
    const isKnown = addOn && (version === undefined || addOnVersions(addOn).includes(version));
    return isKnown ? secretsIn(addOnSchema(addOn, version) ?? {}, path) : [path];
  });
}

function secretsIn(schema: JsonSchema, path: DocumentPath): readonly DocumentPath[] {
  if (schema.format === 'password') return [path];
  const { items, additionalProperties, properties = {} } = schema;
  const parts = [items, typeof additionalProperties === 'object' ? additionalProperties : undefined];
  if (parts.some((part) => part && secretsIn(part, path).length > 0)) return [path];
  return Object.entries(properties).flatMap(([name, member]) => secretsIn(member, [...path, name]));
}
