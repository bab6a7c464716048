import type { KindInfo } from '@crate/resource-client';
import type { JsonSchema } from '../kinds/json-schema.js';
import { builtInBody } from './built-in-kinds.js';
import { FieldSchema } from './field-schema.js';

const METADATA: JsonSchema = {
  properties: {
    finalizers: { 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      items: { 'x-kubernetes-map-type': 'atomic' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
  },
};

/** How the fields of a kind merge: as Kubernetes declares it for its own kinds, else as the kind's schema says. */
export function fieldSchemaOf(info: KindInfo): FieldSchema {
  const body: JsonSchema = builtInBody(info.group, info.kind) ?? info.schema;
  return new FieldSchema({ ...body, properties: { ...body.properties, metadata: METADATA } });
}
