import { z } from 'zod';
import { column, defineCoreKind, type CoreObject } from './define-core-kind.js';
import { anyObject, conditions } from './fields.js';

const columns = z.array(
  z.strictObject({
    name: z.string(),
    type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
    jsonPath: z.string(),
    description: z.string().optional(),
    format: z.string().optional(),
    priority: z.int().optional(),
  }),
);

const names = z.strictObject({
  plural: z.string().min(1),
  singular: z.string().optional(),
  kind: z.string().min(1),
  listKind: z.string().optional(),
  shortNames: z.array(z.string()).optional(),
  categories: z.array(z.string()).optional(),
});

const version = z.strictObject({
  name: z.string().regex(/^v\d+((alpha|beta)\d+)?$|^[a-z][a-z0-9-]*$/),
  served: z.boolean(),
  storage: z.boolean(),
  deprecated: z.boolean().optional(),
  deprecationWarning: z.string().optional(),
  schema: z.strictObject({ openAPIV3Schema: z.record(z.string(), z.unknown()).optional() }).optional(),
  subresources: z.strictObject({ status: anyObject.optional(), scale: anyObject.optional() }).optional(),
  additionalPrinterColumns: columns.optional(),
  selectableFields: z.array(z.strictObject({ jsonPath: z.string() })).optional(),
});

const body = z.strictObject({
  spec: z.strictObject({
    group: z
      .string()
      .regex(
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
        'must be a domain, such as example.com',
      ),
    names,
    scope: z.enum(['Namespaced', 'Cluster']),
    versions: z.array(version).min(1, 'Required value'),
    conversion: anyObject.optional(),
    preserveUnknownFields: z.boolean().optional(),
  }),
  status: z
    .looseObject({
      conditions,
      acceptedNames: names.partial().optional(),
      storedVersions: z.array(z.string()).optional(),
    })
    .optional(),
});

export const CUSTOM_RESOURCE_DEFINITION = defineCoreKind({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  body,
  hasStatus: true,
  columns: [column('Created At', '.metadata.creationTimestamp')],
});
export type CustomResourceDefinition = CoreObject<typeof body>;
