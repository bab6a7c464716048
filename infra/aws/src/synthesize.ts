import { createHash } from 'node:crypto';
import type { AwsClusterInput } from './input.js';
import { buildClusterStack } from './stack/cluster-stack.js';
import { literally } from './templates.js';

/** A Terraform configuration ready to be written as `main.tf.json`. */
export interface SynthesizedStack {
  readonly document: Record<string, unknown>;
  /** Hex SHA-256 of the document; equal hash means nothing to change. */
  readonly hash: string;
}

/**
 * Writes the Terraform configuration of a self-managed cluster. Pure: equal input gives an equal document, byte for
 * byte once it is serialised, and nothing is read or written. Texts of the input are what they say, and never evaluated; throws Invariant
 * for names that could be more than a name.
 */
export function synthesizeAwsCluster(input: AwsClusterInput): SynthesizedStack {
  const document = canonical(buildClusterStack(literally(input)).toTerraform()) as Record<string, unknown>;
  return { document, hash: createHash('sha256').update(JSON.stringify(document)).digest('hex') };
}

/** Sorts keys and drops the generator's notes about itself (`//`), which change with its version. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, entry]) => key !== '//' && entry !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, entry]) => [key, canonical(entry)]),
  );
}
