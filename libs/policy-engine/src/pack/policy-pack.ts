import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POLICY, type Policy } from '@crate/api';
import { invariant } from '@crate/errors';
import { CORE_SCHEMA, load } from 'js-yaml';
import { z } from 'zod';

/** Fifty times what the largest pack that ships has. */
const MOST_VALUES = 200_000;

/** One document that a rule accepts or objects to; tests judge it. Which member is set depends on the stage. */
const example = z.strictObject({
  title: z.string().optional(),
  /** ClusterSpec: laid over an ordinary Cluster. */
  metadata: z.record(z.string(), z.unknown()).optional(),
  spec: z.record(z.string(), z.unknown()).optional(),
  /** ClusterSpec: the spec that is there already, laid over an ordinary one; absent: the Cluster is new. */
  oldSpec: z.record(z.string(), z.unknown()).optional(),
  /** TerraformPlan: the resources of the plan. */
  resources: z
    .array(
      z.strictObject({
        type: z.string(),
        name: z.string().default('example'),
        actions: z.array(z.string()).default(['create']),
        values: z.record(z.string(), z.unknown()),
        unknown: z.record(z.string(), z.unknown()).default({}),
        /** Arguments that the configuration states; absent: the plan does not say. */
        stated: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  /** Manifest: the object. */
  manifest: z.record(z.string(), z.unknown()).optional(),
  /** EngineConfig: laid over an ordinary configuration of the engine, `rke` when it is absent. */
  config: z.record(z.string(), z.unknown()).optional(),
  engine: z.enum(['rke', 'rke2']).optional(),
  /** What is known of the cluster. Its engine is that of an EngineConfig, and the one that a ClusterSpec names. */
  provider: z.string().optional(),
  /** What a failing example must say. */
  field: z.string().optional(),
  message: z.string().optional(),
});

const entry = z.strictObject({
  name: z.string(),
  spec: z.looseObject({}),
  examples: z.strictObject({ pass: z.array(example).default([]), fail: z.array(example).default([]) }).prefault({}),
});

const packFile = z.strictObject({
  pack: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+/, 'must be a semantic version, such as 1.2.0'),
  description: z.string(),
  policies: z.array(entry).min(1),
});

/** A document that its rule has to let through, or to object to in these words. */
export type PolicyExample = z.output<typeof example>;

/** A rule as a pack ships it. */
export interface PackedPolicy {
  readonly pack: string;
  /** Of the pack. */
  readonly version: string;
  readonly name: string;
  readonly spec: Policy['spec'];
  readonly examples: { readonly pass: readonly PolicyExample[]; readonly fail: readonly PolicyExample[] };
}

/** A file of rules. */
export interface PolicyPack {
  readonly pack: string;
  readonly version: string;
  readonly description: string;
  readonly policies: readonly PackedPolicy[];
}

/** Reads every `*.yaml` of a directory. Throws Invariant for a malformed file or a name that stands twice. */
export async function readPacks(directory: string): Promise<readonly PackedPolicy[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.yaml')).sort();
  const packs = await Promise.all(
    files.map(async (file) => parsePack(file, await readFile(join(directory, file), 'utf8'))),
  );
  const policies = packs.flatMap((pack) => pack.policies);
  const twice = policies.find(({ name }, index) => policies.findIndex((other) => other.name === name) !== index);
  if (twice) throw invariant(`Policy "${twice.name}" stands in two packs`);
  return policies;
}

/** Reads one pack. Throws Invariant that names every malformed field. */
export function parsePack(file: string, text: string): PolicyPack {
  const { pack, version, description, policies } = parsed(packFile, parseYaml(file, text), `Policy pack ${file}`);
  return {
    pack,
    version,
    description,
    policies: policies.map(({ name, spec, examples }) => ({
      pack,
      version,
      name,
      spec: parsePolicySpec(spec, `Policy "${name}" of ${file}`),
      examples,
    })),
  };
}

/** A rule as it would be stored, defaults filled in. Throws Invariant that names every malformed field; `what` says whose they are. */
export function parsePolicySpec(spec: unknown, what: string): Policy['spec'] {
  return (parsed(POLICY.body, { spec }, what) as Pick<Policy, 'spec'>).spec;
}

/** As of YAML 1.2: dates are texts, and `<<` is a key as any other. */
function parseYaml(file: string, text: string): unknown {
  try {
    // Hundreds of rules are read at each start: this library takes a sixth of the time of the one that keeps comments and places.
    return notUnfolding(load(text, { schema: CORE_SCHEMA }));
  } catch (error) {
    throw invariant(`Policy pack ${file} is no YAML: ${(error as Error).message}`, error);
  }
}

/** By aliases a short text may unfold into more values than can ever be looked at, or into itself. */
function notUnfolding(document: unknown): unknown {
  const waiting = [document];
  for (let count = 1; waiting.length > 0; count += 1) {
    if (count > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values once its aliases are unfolded`);
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) waiting.push(part);
  }
  return document;
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const causes = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw invariant(`${what} is malformed: ${causes.join('; ')}`, result.error);
}
