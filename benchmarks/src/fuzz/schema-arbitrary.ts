import fc from 'fast-check';
import type { Json } from './api-document.js';

const DEEPEST = 6;
const LONGEST_LIST = 3;

/** Values that a schema of the document allows, as far as the schema says it. */
export class SchemaArbitrary {
  constructor(private readonly schemas: Readonly<Record<string, Json>>) {}

  of(schema: Json, depth = 0): fc.Arbitrary<unknown> {
    const { $ref, enum: options, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === 'string') return this.of(this.schemas[$ref.split('/').pop() ?? ''] ?? {}, depth);
    if (Array.isArray(options)) return fc.constantFrom(...(options as unknown[]));
    const alternatives = anyOf ?? oneOf ?? allOf;
    if (Array.isArray(alternatives)) return fc.oneof(...alternatives.map((each: Json) => this.of(each, depth)));
    return schema['nullable'] === true
      ? fc.option(this.typed(schema, depth), { nil: null, freq: 9 })
      : this.typed(schema, depth);
  }

  private typed(schema: Json, depth: number): fc.Arbitrary<unknown> {
    switch (schema['type']) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return fc.integer(rangeOf(schema));
      case 'number':
        return fc.double({ ...rangeOf(schema), noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(this.of((schema['items'] ?? {}) as Json, depth + 1), {
          minLength: Number(schema['minItems'] ?? 0),
          maxLength: Math.max(Number(schema['minItems'] ?? 0), depth > DEEPEST ? 0 : LONGEST_LIST),
        });
      case 'object':
        return this.objectOf(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  private objectOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
    if (properties.length === 0) return this.freeObject(schema, depth);
    const required = (schema['required'] ?? []) as string[];
    const shown = depth > DEEPEST ? properties.filter(([name]) => required.includes(name)) : properties;
    const model = Object.fromEntries(shown.map(([name, each]) => [name, this.of(each, depth + 1)]));
    return fc.record(model, { requiredKeys: required.filter((name) => name in model) as never[] });
  }

  private freeObject({ additionalProperties }: Json, depth: number): fc.Arbitrary<unknown> {
    const values =
      typeof additionalProperties === 'object'
        ? this.of(additionalProperties as Json, depth + 1)
        : fc.jsonValue({ maxDepth: 1 });
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), values, { maxKeys: 3 });
  }
}

function textOf({ pattern, format, minLength, maxLength }: Json): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (typeof pattern === 'string') return matching(pattern);
  return fc.string({
    minLength: Number(minLength ?? 0),
    maxLength: Math.min(Number(maxLength ?? 20), 40),
    unit: 'grapheme',
  });
}

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: '-1' });
  } catch {
    // Some words of patterns cannot be turned round; any text is then as good.
    return fc.string();
  }
}

function rangeOf({ minimum, maximum }: Json): { min: number; max: number } {
  const min = typeof minimum === 'number' ? minimum : -5;
  return { min, max: typeof maximum === 'number' ? maximum : min + 1000 };
}
