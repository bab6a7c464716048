import type { TerraformState } from '@crate/terraform';
import { z } from 'zod';
import { emptyAwsStack } from '@crate/infra-aws';

const states = z.object({
  resources: z.array(
    z.object({
      type: z.string(),
      name: z.string(),
      instances: z.array(z.object({ attributes: z.record(z.string(), z.unknown()) })),
    }),
  ),
});
const tagMap = z.record(z.string(), z.string());

export interface OrphanStackInput {
  readonly region: string;
  readonly accountId: string;
  readonly orphans: readonly { readonly type: string }[];
}

/** A configuration with an address for each orphan, and nothing said about it: enough to import, and without it to destroy. Pure. */
export function orphanDocument({ region, accountId, orphans }: OrphanStackInput): Record<string, unknown> {
  const resource: Record<string, Record<string, object>> = {};
  for (const [index, { type }] of orphans.entries()) resource[type] = { ...resource[type], [`orphan-${index}`]: {} };
  return { ...emptyAwsStack({ region, accountId }), ...(orphans.length === 0 ? {} : { resource }) };
}

/** Tags of an object as the state has them; undefined for what is not in it, and for what takes no tags. Pure. */
export function tagsInState(
  state: TerraformState | undefined,
  address: string,
): Readonly<Record<string, string>> | undefined {
  if (!state) return undefined;
  const { resources } = states.parse(JSON.parse(Buffer.from(state.bytes).toString('utf8')));
  const found = resources.find(({ type, name }) => `${type}.${name}` === address);
  const attributes = found?.instances[0]?.attributes;
  if (!attributes || !('tags' in attributes)) return undefined;
  return tagMap.parse(attributes['tags'] ?? {});
}
