import { z } from 'zod';

/** DNS label (RFC 1123), as Kubernetes asks of most names. */
export const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a DNS label: lower-case letters, digits and "-", at most 63');

/** A reference by name within the same Project. */
export const localRef = z.strictObject({ name: dnsLabel.describe('Name of the object in the same Project') });

/** IPv4 CIDR block with the host bits zero, such as `10.20.0.0/16`. */
export const ipv4Cidr = z
  .string()
  .refine(isNetworkCidr, 'must be an IPv4 CIDR block with its host bits zero, such as 10.20.0.0/16');

/** Kubernetes labels. What keys and values may be is for admission to say. */
export const labels = z.record(z.string(), z.string());

/** A node taint. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export const taint = z.strictObject({
  key: z.string().min(1),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

/** How far long work has come; `step` counts from 0 to `steps`. */
export const progress = z.object({
  step: z.int().min(0),
  steps: z.int().min(0),
  message: z.string(),
});

/** How far long work has come. */
export type Progress = z.output<typeof progress>;

export const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().exactOptional(),
});

/** Fields every status of ours has. */
export const statusBase = z.object({
  observedGeneration: z.int().optional(),
  conditions: z.array(condition).optional(),
  progress: progress.optional(),
});

/** The size in addresses and first address of a block; undefined when `cidr` is malformed. */
export function parseCidr(cidr: string): { first: number; size: number } | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (!match) return undefined;
  const [a, b, c, d, prefix] = match.slice(1).map(Number) as [number, number, number, number, number];
  if ([a, b, c, d].some((octet) => octet > 255) || prefix > 32) return undefined;
  return { first: ((a * 256 + b) * 256 + c) * 256 + d, size: 2 ** (32 - prefix) };
}

/** True when the two blocks share an address; false when one is malformed. */
export function cidrsOverlap(left: string, right: string): boolean {
  const a = parseCidr(left);
  const b = parseCidr(right);
  if (!a || !b) return false;
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

function isNetworkCidr(value: string): boolean {
  const parsed = parseCidr(value);
  return parsed !== undefined && parsed.first % parsed.size === 0;
}
