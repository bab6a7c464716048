import { z } from 'zod';

/** A Terraform state as its file has it, version 4. Only what we look at. */
const state = z.object({
  version: z.literal(4),
  serial: z.number(),
  lineage: z.string(),
  outputs: z.record(z.string(), z.object({ value: z.unknown() })).default({}),
  resources: z
    .array(
      z.object({
        mode: z.string(),
        type: z.string(),
        name: z.string(),
        provider: z.string().optional(),
        instances: z
          .array(z.object({ attributes: z.record(z.string(), z.unknown()).nullish(), status: z.string().optional() }))
          .default([]),
      }),
    )
    .default([]),
});

/** An object that a state knows of. */
export interface StateResource {
  /** Address without an index, such as `aws_vpc.vpc`. */
  readonly address: string;
  readonly type: string;
  /** The provider's id; undefined for objects without one. */
  readonly id: string | undefined;
}

/** A whole state, secrets included: for the workspace and the secret store, never for a log or an answer. */
export interface TerraformState {
  /** Moves with every write within one lineage. */
  readonly serial: number;
  /** Set once, when the state is first made. */
  readonly lineage: string;
  readonly outputs: Readonly<Record<string, { readonly value?: unknown }>>;
  /** Managed objects, one for each instance; no data sources. */
  readonly resources: readonly StateResource[];
  /** Source addresses of the providers that its objects belong to, such as `registry.terraform.io/hashicorp/aws`; each once. */
  readonly providers: readonly string[];
  /** The file as it is. */
  readonly bytes: Uint8Array;
}

/** Undefined for anything that is not a whole state: nothing, a file just truncated, half a write. */
export function parseState(bytes: Uint8Array | undefined): TerraformState | undefined {
  if (!bytes || bytes.byteLength === 0) return undefined;
  try {
    const { serial, lineage, outputs, resources } = state.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    const providers = [...new Set(resources.flatMap(({ provider }) => (provider ? sourceOf(provider) : [])))];
    return { serial, lineage, outputs, resources: resources.flatMap(instancesOf), providers, bytes };
  } catch {
    return undefined;
  }
}

/**
 * The copy of a state that knows most; of equal ones the first. With `lineage` given, copies of another state do not count.
 */
export function newestState(
  copies: readonly (TerraformState | undefined)[],
  lineage?: string,
): TerraformState | undefined {
  const known = copies.filter((copy) => copy !== undefined);
  const same = known.filter((copy) => copy.lineage === (lineage ?? known[0]?.lineage));
  return same.sort((a, b) => b.serial - a.serial)[0];
}

function instancesOf(resource: z.output<typeof state>['resources'][number]): StateResource[] {
  if (resource.mode !== 'managed') return [];
  return resource.instances.map(({ attributes }) => ({
    address: `${resource.type}.${resource.name}`,
    type: resource.type,
    id: typeof attributes?.['id'] === 'string' ? attributes['id'] : undefined,
  }));
}

/** Of `provider["registry.terraform.io/hashicorp/aws"].alias`; what is written in another way is given as it is. */
function sourceOf(provider: string): string {
  return /provider\["([^"]+)"\]/.exec(provider)?.[1] ?? provider;
}
