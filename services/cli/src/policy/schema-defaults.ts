import { mappingOf } from './yaml-files.js';

/** What is looked at of a JSON schema. */
export interface Schema {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** A value with the defaults of its JSON schema, also where the schema would refuse it. */
export function withDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown) => (schema.items ? withDefaults(item, schema.items) : item));
  const mapping = mappingOf(value);
  if (!mapping || !schema.properties) return value;
  const members = Object.entries(schema.properties).flatMap(([name, member]) => {
    const given = mapping[name] ?? member.default;
    return given === undefined ? [] : [[name, withDefaults(given, member)] as const];
  });
  return { ...mapping, ...Object.fromEntries(members) };
}
