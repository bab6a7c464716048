import { z } from 'zod';

/** Labels and annotations. */
export const texts = z.record(z.string(), z.string());

/** Any JSON object whose content the simulation gives no meaning. */
export const anyObject = z.looseObject({});

/** A port or a count that may also be a name or a percentage. */
export const intOrString = z.union([z.int(), z.string()]).meta({ 'x-kubernetes-int-or-string': true });

/** A resource quantity, such as `500m` or `2Gi`. Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
export const quantity = z
  .union([
    z
      .string()
      .regex(/^[+-]?\d+(\.\d*)?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/, 'must be a quantity, such as 500m or 2Gi'),
    z.number(),
  ])
  .meta({ 'x-kubernetes-int-or-string': true });

export const quantities = z.record(z.string(), quantity);

/** Names one list item's key fields, so that server-side apply merges the list by them. */
export function keyed(...keys: readonly string[]): Readonly<Record<string, unknown>> {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

/** A list that server-side apply merges as a set. */
export const asSet = { 'x-kubernetes-list-type': 'set' } as const;

/** A map that server-side apply replaces as a whole. */
export const asAtomicMap = { 'x-kubernetes-map-type': 'atomic' } as const;

const requirement = z.strictObject({
  key: z.string().min(1),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: z.array(z.string()).optional(),
});

/** Selects objects by label. Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ */
export const labelSelector = z
  .strictObject({ matchLabels: texts.optional(), matchExpressions: z.array(requirement).optional() })
  .meta(asAtomicMap);

export type LabelSelector = z.output<typeof labelSelector>;
export type LabelRequirement = z.output<typeof requirement>;

/** Conditions of a status. */
export const conditions = z
  .array(z.looseObject({ type: z.string(), status: z.string() }))
  .meta(keyed('type'))
  .optional();

/** Metadata inside a template. */
export const templateMetadata = z.looseObject({ labels: texts.optional(), annotations: texts.optional() });

/** Names an object of another kind. */
export const objectReference = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  name: z.string().optional(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  fieldPath: z.string().optional(),
});

export const localReference = z.strictObject({ name: z.string().default('') });
