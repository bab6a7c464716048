import { isJsonObject } from '@crate/api';
import { canonicalJson, jsonEqual } from './json.js';

/**
 * One step of a path as FieldsV1 writes it: `f:<field>`, `k:<keys as JSON>` (list map item), `v:<value as JSON>` (set item)
 * or `i:<index>`.
 * Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/fieldpath/serialize-pe.go
 */
export type PathElement = string;

/** The step into a field of an object. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the list item with these key fields. */
export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  return `k:${canonicalJson(keys)}`;
}

/** The step to a value in a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** The field name of an `f:` step; undefined for other steps. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** The same step with its JSON in canonical form; undefined when it is not a valid step. */
export function parseElement(text: string): PathElement | undefined {
  const prefix = text.slice(0, 2);
  if (prefix === 'f:') return text;
  if (prefix === 'i:') return /^i:\d+$/.test(text) ? text : undefined;
  const value = prefix === 'k:' || prefix === 'v:' ? parseJson(text.slice(2)) : undefined;
  if (value === undefined || (prefix === 'k:' && !isJsonObject(value))) return undefined;
  return `${prefix}${canonicalJson(value)}`;
}

/** A path for people, such as `.spec.containers[name="web"].image`. */
export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join('');
}

/** True when a list item is the one a `k:` step names. */
export function matchesKeys(item: unknown, keys: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(item) && Object.entries(keys).every(([key, value]) => jsonEqual(item[key], value));
}

function describeElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${rest}`;
    case 'k:':
      return `[${describeKeys(rest)}]`;
    case 'v:':
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}

function describeKeys(json: string): string {
  const keys = parseJson(json) as Record<string, unknown>;
  return Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
