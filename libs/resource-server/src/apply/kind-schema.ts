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

/** How the fields of a kind merge: its own schema, or for Kubernetes' own kinds what Kubernetes declares for them. */
export function fieldSchemaOf(info: KindInfo): FieldSchema {
  const own = info.schema as JsonSchema;
  const body = own.properties ? own : (builtInBody(info.group, info.kind) ?? own);
  return new FieldSchema({ ...body, properties: { ...body.properties, metadata: METADATA } });
}
