import { invariant } from '@crate/errors';
import type { z } from 'zod';
import type { ConfigMeta } from './fields.js';

/** How the text of a variable becomes a value. */
export type FieldType = 'string' | 'number' | 'boolean' | 'duration' | 'list' | 'enum';

/** One leaf of a configuration schema. */
export interface ConfigField {
  readonly path: readonly string[];
  /** The environment variable. */
  readonly env: string;
  readonly type: FieldType;
  /** The type of a list's elements. */
  readonly elementType?: FieldType;
  readonly choices?: readonly string[];
  readonly optional: boolean;
  readonly defaultValue?: unknown;
  readonly defaultText?: string;
  readonly unit?: string;
  readonly description?: string;
  readonly secret: boolean;
  /** Some object above may be left out as a whole. */
  readonly isInOptionalGroup: boolean;
}

/** Where a schema stands: its path, and what the objects above say about it. */
interface Place {
  readonly path: readonly string[];
  readonly isInOptionalGroup: boolean;
  readonly groupDefault?: unknown;
}

/** The part of a Zod schema's definition that this file reads. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Record<string, z.ZodType>;
  readonly defaultValue?: unknown;
  readonly entries?: Record<string, string | number>;
  readonly values?: readonly unknown[];
}

/** A schema without its wrappers, and what the wrappers said. */
export interface Unwrapped {
  readonly schema: z.ZodType;
  readonly definition: Definition;
  readonly optional: boolean;
  readonly defaultValue?: unknown;
  readonly meta: ConfigMeta & { readonly description?: string };
}

const WRAPPERS = new Set(['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);

/** Takes optional, default, readonly and pipes off; what an outer layer says wins. */
export function unwrap(schema: z.ZodType): Unwrapped {
  const definition = schema.def as unknown as Definition;
  const own = { ...(schema.meta() as Unwrapped['meta'] | undefined) };
  const inner = innerOf(definition);
  if (!inner) return { schema, definition, optional: false, meta: own };

  const below = unwrap(inner);
  const hasDefault = 'defaultValue' in definition;
  return {
    ...below,
    optional: below.optional || hasDefault || definition.type === 'optional',
    ...(hasDefault ? { defaultValue: definition.defaultValue } : {}),
    meta: { ...below.meta, ...own },
  };
}

/** Every leaf of the schema, in order. Throws Invariant for a type that one variable cannot express. */
export function listFields(
  schema: z.ZodType,
  place: Place = { path: [], isInOptionalGroup: false },
): readonly ConfigField[] {
  const unwrapped = unwrap(schema);
  const { shape } = unwrapped.definition;
  if (!shape) return [leaf(unwrapped, place)];
  const groupDefault = place.groupDefault ?? unwrapped.defaultValue;
  return Object.entries(shape).flatMap(([key, child]) =>
    listFields(child, {
      path: [...place.path, key],
      isInOptionalGroup: place.isInOptionalGroup || unwrapped.optional,
      groupDefault: (groupDefault as Record<string, unknown> | undefined)?.[key],
    }),
  );
}

/** `database.poolSize` as `CRATE_DATABASE_POOL_SIZE`. */
export function envName(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/-/g, '_'));
  return ['CRATE', ...words].join('_').toUpperCase();
}

function innerOf(definition: Definition): z.ZodType | undefined {
  if (WRAPPERS.has(definition.type)) return definition.innerType;
  if (definition.type !== 'pipe') return undefined;
  // A preprocess step stands first in its pipe and says nothing about the type.
  const first = definition.in?.def as unknown as Definition | undefined;
  return first?.type === 'transform' ? definition.out : definition.in;
}

function leaf(unwrapped: Unwrapped, { path, isInOptionalGroup, groupDefault }: Place): ConfigField {
  const { definition, meta, optional } = unwrapped;
  const defaultValue = groupDefault ?? unwrapped.defaultValue;
  const type = typeOf(unwrapped, path);
  const choices = choicesOf(definition);
  return {
    path,
    env: meta.env ?? envName(path),
    type,
    ...(definition.element ? { elementType: typeOf(unwrap(definition.element), path) } : {}),
    ...(choices ? { choices } : {}),
    optional: optional || isInOptionalGroup,
    isInOptionalGroup,
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(meta.defaultText === undefined ? {} : { defaultText: meta.defaultText }),
    ...(meta.unit === undefined || meta.unit === 'duration' ? {} : { unit: meta.unit }),
    ...(meta.description === undefined ? {} : { description: meta.description }),
    secret: meta.secret ?? false,
  };
}

function typeOf({ definition, meta }: Unwrapped, path: readonly string[]): FieldType {
  switch (definition.type) {
    case 'string':
    case 'boolean':
    case 'enum':
      return definition.type;
    case 'number':
    case 'int':
      return meta.unit === 'duration' ? 'duration' : 'number';
    case 'array':
      return 'list';
    case 'literal':
      return typeof definition.values?.[0] === 'number' ? 'number' : 'enum';
    default:
      throw invariant(
        `Configuration field ${path.join('.')} has type ${definition.type}, which a variable cannot express`,
      );
  }
}

function choicesOf({ entries, values }: Definition): readonly string[] | undefined {
  const choices = entries ? Object.values(entries) : values;
  return choices?.map(String);
}
