import { z } from 'zod';
import { chartValues } from '../values/chart-values.js';

/** As much of JSON Schema as values are described by. */
export interface ValueSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: unknown;
  /** What the values file says beside `properties`, of a block for another chart. */
  readonly chartDefaults?: Readonly<Record<string, unknown>>;
}

/** All values with descriptions and defaults; nothing is required, since everything has a default. */
export function valuesModel(): ValueSchema {
  return withoutRequired(z.toJSONSchema(chartValues, { io: 'input', target: 'draft-7' })) as ValueSchema;
}

/** The schema that Helm judges values by, whatever command they are given to. */
export function valuesSchemaJson(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart crate',
    ...valuesModel(),
  };
  return `${JSON.stringify(schema, (key, value: unknown) => (key === 'chartDefaults' ? undefined : value), 2)}\n`;
}

function withoutRequired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequired);
  if (typeof value !== 'object' || value === null) return value;
  // Of a list's items it stays: an entry without a name means nothing.
  const isOfValues = 'properties' in value && 'additionalProperties' in value;
  const entries = Object.entries(value).filter(([key]) => !(isOfValues && key === 'required') && key !== '$schema');
  return Object.fromEntries(entries.map(([key, member]) => [key, key === 'items' ? member : withoutRequired(member)]));
}
