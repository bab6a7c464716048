import { z } from 'zod';
import { fault } from '../cloud/faults.js';
import { latencySettings } from '../cloud/latency.js';

/** Body of `POST /v1/provider-sessions`. */
export const sessionRequest = z.strictObject({
  account: z.string().regex(/^\d{12}$/, 'must be the 12-digit account number'),
  region: z.string().min(1),
  accessKeyId: z.string().min(1).exactOptional(),
});

/** Who asks for a provider. */
export type SessionRequest = z.output<typeof sessionRequest>;

/**
 * Query of `GET /v1/inventory`; `tag` is `key=value` and may be given more than once. `view=calls` leaves out what a call to the cloud
 * would not see yet.
 */
export const inventoryQuery = z.strictObject({
  account: z.string().optional(),
  type: z.string().optional(),
  /** Id of a network: what is in it and keeps it from being removed. */
  network: z.string().optional(),
  tag: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((tags) => (typeof tags === 'string' ? [tags] : tags))
    .refine((tags) => tags.every((tag) => tag.indexOf('=') > 0), 'must be key=value'),
  view: z.enum(['all', 'calls']).default('all'),
});

/** Body of `POST /v1/inventory`. */
export const objectRequest = z.strictObject({
  account: z.string().regex(/^\d{12}$/, 'must be the 12-digit account number'),
  region: z.string().min(1),
  type: z.string().startsWith('aws_'),
  attributes: z.record(z.string(), z.json()).default({}),
});

/** What to make in the cloud beside Terraform. */
export type ObjectRequest = z.input<typeof objectRequest>;

/** Query of `DELETE` and `PATCH /v1/inventory`: one object. */
export const objectQuery = z.strictObject({
  account: z.string(),
  type: z.string(),
  id: z.string(),
});

/** Body of `PATCH /v1/inventory`: attributes of the object as they are from now on. */
export const objectChanges = z.strictObject({ attributes: z.record(z.string(), z.json()) });

/** Query of `GET` and `PUT /v1/latency`. */
export const accountQuery = z.strictObject({ account: z.string().optional() });

/** Path of a fault. */
export const faultPath = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and "-"'),
});

export { fault, latencySettings };

/** An object of the simulated cloud as the inventory lists it. */
export interface InventoryItem {
  readonly provider: 'aws';
  readonly account: string;
  readonly region: string;
  /** Terraform's name of the type, such as `aws_subnet`. */
  readonly type: string;
  readonly id: string;
  /** What `terraform import` takes for it. */
  readonly importId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: string;
}
