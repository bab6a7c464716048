import { z } from 'zod';
import { cloudProvider } from '../cloud/cloud-provider.js';
import { dnsLabel, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';

/** Any Kubernetes manifest; the target cluster's API server judges its content. */
export const manifest = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
});

/** Beyond what an object needs to have a name, fields are kept as they are and nobody here judges them. */
export type Manifest = z.output<typeof manifest>;

/** When the deletion of a cluster takes an add-on away. */
export const addOnRemoval = z.enum(['BeforeCluster', 'WithCluster']);

/** What is done about objects of an add-on that somebody changed in the cluster. */
export const addOnDrift = z.strictObject({
  policy: z
    .enum(['observe', 'correct'])
    .default('correct')
    .describe('correct: put back within minutes; observe: report, and put back with the next change of the add-on'),
});

const version = z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a semantic version, such as 1.0.0');

/** What is installed of an add-on; a change of any of it is another version. */
const content = {
  version,
  dependsOn: z.array(dnsLabel).default([]).describe('Add-ons that must be ready before this one is installed'),
  valuesSchema: z
    .looseObject({})
    .optional()
    .describe(
      'Structural JSON schema, of type object, of the values that a cluster may state; absent: there are none, and manifests are taken as they are',
    ),
  manifests: z
    .array(manifest)
    .min(1)
    .describe(
      'Objects applied with server-side apply, in this order. With a valuesSchema `${…}` in a text is a CEL expression over `values` and the facts of `cluster`, and `$${` stands for `${`',
    ),
  providers: z
    .array(cloudProvider)
    .min(1)
    .optional()
    .describe('Clouds whose clusters may have it; absent: every cluster may, also one that Crate did not make'),
  defaultFor: z
    .array(cloudProvider)
    .optional()
    .describe('Clouds whose clusters have it without asking, unless one says `enabled: false`'),
  removal: addOnRemoval
    .optional()
    .describe(
      'When the deletion of a cluster that Crate made takes it away. BeforeCluster, which absent means: first of all. WithCluster: it works until load balancers and volumes are gone, and goes down with the machines',
    ),
};

/** Versions that are kept of an add-on besides the newest; more only while clusters state them. */
export const EARLIER_VERSIONS_KEPT = 5;

/** An add-on of the catalogue: what is installed into a cluster that names it. */
export const ADD_ON = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'AddOn',
  plural: 'addons',
  categories: ['crate'],
  namespaced: false,
  description: 'An add-on of the catalogue: manifests that a cluster can ask for by name.',
  example: {
    displayName: 'Namespace for tools',
    description: 'A namespace that tools are installed into.',
    version: '1.0.0',
    valuesSchema: {
      type: 'object',
      properties: { team: { type: 'string', description: 'Who runs the tools', default: 'platform' } },
    },
    manifests: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools', labels: { team: '${values.team}' } } },
    ],
  },
  spec: z.strictObject({
    displayName: z.string().min(1),
    description: z.string(),
    ...content,
    earlier: z
      .array(z.strictObject(content))
      .max(100)
      .optional()
      .describe('Versions before this one that clusters may stay on, the newest first; kept by the server'),
  }),
  status: statusBase,
  printerColumns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Depends On', type: 'string', jsonPath: '.spec.dependsOn' },
    { name: 'Default For', type: 'string', jsonPath: '.spec.defaultFor', priority: 1 },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
  ],
});

/** As stored: the server keeps `earlier`, whatever a document says of it. */
export type AddOn = ObjectOf<typeof ADD_ON>;

/** One version of an add-on. */
export type AddOnContent = Pick<
  AddOn['spec'],
  'version' | 'dependsOn' | 'valuesSchema' | 'manifests' | 'providers' | 'defaultFor' | 'removal'
>;
