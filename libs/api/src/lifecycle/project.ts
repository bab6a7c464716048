import { z } from 'zod';
import { defineKind, type ObjectOf } from '../kind/kind.js';
import { statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';

/** A Project is a tenant: its name is the namespace of everything the team owns. */
export const PROJECT = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Project',
  plural: 'projects',
  shortNames: ['proj'],
  categories: ['crate'],
  namespaced: false,
  description: "A team's tenancy. Its name is the namespace of everything the team owns.",
  spec: z
    .strictObject({
      displayName: z.string().max(100).optional().describe('Name shown to people'),
      description: z.string().max(1000).optional().describe('What the team uses it for'),
    })
    .prefault({}),
  status: statusBase,
  printerColumns: [{ name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' }],
});

export type Project = ObjectOf<typeof PROJECT>;
