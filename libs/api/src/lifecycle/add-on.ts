import { z } from 'zod';
import { dnsLabel, statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf } from '../kind/kind.js';

/** Any Kubernetes manifest; the target cluster's API server judges its content. */
export const manifest = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
});

export type Manifest = z.output<typeof manifest>;

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
    manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools' } }],
  },
  spec: z.strictObject({
    displayName: z.string().min(1),
    description: z.string(),
    version: z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a semantic version, such as 1.0.0'),
    dependsOn: z.array(dnsLabel).default([]).describe('Add-ons that must be ready before this one is installed'),
    manifests: z.array(manifest).min(1).describe('Objects applied with server-side apply, in this order'),
  }),
  status: statusBase,
  printerColumns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Depends On', type: 'string', jsonPath: '.spec.dependsOn' },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
  ],
});

export type AddOn = ObjectOf<typeof ADD_ON>;
