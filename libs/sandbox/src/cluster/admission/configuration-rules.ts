import type { ConfigMap, Secret } from '../kinds/core.js';
import type { CustomResourceDefinition } from '../kinds/custom-resource-definition.js';
import { CUSTOM_RESOURCE_FINALIZER } from '../workloads/custom-resource.reconciler.js';
import type { Rule } from './rules.js';
import { isDeepStrictEqual } from 'node:util';

/** Data marked immutable stays, and so does the mark. */
export const dataIsKept: Rule<ConfigMap | Secret> = (object, before) => {
  if (!before?.immutable) return [];
  const content = (data: ConfigMap | Secret): unknown => [
    data.data,
    'binaryData' in data ? data.binaryData : undefined,
  ];
  if (object.immutable && isDeepStrictEqual(content(before), content(object))) return [];
  const message = 'Forbidden: field is immutable when `immutable` is set';
  return [{ field: 'data', message, reason: 'FieldValueForbidden' }];
};

/** `stringData` is only a way to write `data`. */
export function completeSecret(secret: Secret): Secret {
  const { stringData, ...rest } = secret;
  if (!stringData) return secret;
  const encoded = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { ...rest, data: { ...secret.data, ...(Object.fromEntries(encoded) as Record<string, string>) } };
}

/** A definition is named after what it defines, and stores one version. */
export const definitionIsSound: Rule<CustomResourceDefinition> = ({ metadata, spec }) => {
  const name = `${spec.names.plural}.${spec.group}`;
  const stored = spec.versions.filter(({ storage }) => storage).length;
  return [
    ...(metadata.name === name
      ? []
      : [
          {
            field: 'metadata.name',
            message: `Invalid value: "${metadata.name}": must be spec.names.plural+"."+spec.group`,
          },
        ]),
    ...(stored === 1
      ? []
      : [
          { field: 'spec.versions', message: 'Invalid value: must have exactly one version marked as storage version' },
        ]),
    ...spec.versions.flatMap(({ schema }, index) =>
      schema?.openAPIV3Schema
        ? []
        : [
            {
              field: `spec.versions[${index}].schema.openAPIV3Schema`,
              message: 'Required value: schemas are required',
              reason: 'FieldValueRequired' as const,
            },
          ],
    ),
  ];
};

/** A definition waits for its objects to go. */
export function completeDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { metadata } = definition;
  if (metadata.deletionTimestamp !== undefined) return definition;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), CUSTOM_RESOURCE_FINALIZER])];
  return { ...definition, metadata: { ...metadata, finalizers } };
}
