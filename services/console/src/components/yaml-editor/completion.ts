import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { resolved, schemaAt, type JsonSchema } from './json-schema.js';
import { placeAt, type LinePlace } from './line-path.js';

/** Offers the keys and values that `schema` knows where the cursor is. */
export function completeFrom(schema: JsonSchema, context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const lines = context.state.doc.toString().split('\n');
  const place = placeAt(lines, line.number - 1, context.pos - line.from);
  if (!place) return null;
  if (place.kind === 'key' && place.typed === '' && !context.explicit) return null;
  const here = schemaAt(schema, place.path);
  if (!here) return null;
  const options = place.kind === 'key' ? keysOf(schema, here, place) : valuesOf(here);
  return options.length === 0 ? null : { from: line.from + place.column, options, validFor: /^[\w./-]*$/ };
}

function keysOf(root: JsonSchema, here: JsonSchema, { siblings, path }: LinePlace): Completion[] {
  const isOpen = (name: string): boolean => !siblings.includes(name) && !(path.length === 0 && name === 'status');
  return Object.entries(here.properties ?? {})
    .filter(([name]) => isOpen(name))
    .map(([name, property]) => keyOption(name, resolved(root, property), here.required?.includes(name) ?? false));
}

function keyOption(name: string, schema: JsonSchema, isRequired: boolean): Completion {
  return snippetCompletion(`${name}:${endOf(schema)}`, {
    label: name,
    type: 'property',
    detail: typeText(schema),
    boost: isRequired ? 1 : 0,
    ...(schema.description === undefined ? {} : { info: schema.description }),
  });
}

function endOf(schema: JsonSchema): string {
  if (schema.type === 'array') return '\n\t- ${}';
  if (schema.type === 'object' || schema.properties) return '\n\t${}';
  return ' ${}';
}

function valuesOf(schema: JsonSchema): Completion[] {
  const values = schema.type === 'boolean' ? [true, false] : (schema.enum ?? []);
  const all = schema.default !== undefined && typeof schema.default !== 'object' ? [schema.default, ...values] : values;
  return [...new Set(all.map(String))].map((label) => ({
    label,
    type: 'enum',
    ...(label === String(schema.default) ? { detail: '=', boost: 1 } : {}),
  }));
}

/** A type as a person reads it, such as `string` or `object[]`. */
export function typeText(schema: JsonSchema): string {
  if (schema.type === 'array') return `${schema.items?.type ?? 'object'}[]`;
  return schema.type ?? (schema.properties ? 'object' : '');
}
