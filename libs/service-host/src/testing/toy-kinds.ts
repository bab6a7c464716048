import { CLOUD_GROUP, defineKind, LIFECYCLE_GROUP, V1ALPHA1, type ObjectOf } from '@crate/api';
import { z } from 'zod';

const status = z.object({ observedGeneration: z.int().optional(), conditions: z.array(z.any()).optional() });

/** Something that cloud-mgmt owns in tests. */
export const WIDGET = defineKind({
  group: CLOUD_GROUP,
  version: V1ALPHA1,
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  description: 'A thing.',
  spec: z.strictObject({ size: z.int().default(1) }),
  status,
});
export type Widget = ObjectOf<typeof WIDGET>;

/** Something that lifecycle owns in tests, of the same name as the widget it is about. */
export const GADGET = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'Gadget',
  plural: 'gadgets',
  namespaced: true,
  description: 'A thing about a thing.',
  spec: z.strictObject({}),
  status,
});
