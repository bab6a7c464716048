import { isJsonObject } from '@crate/api';
import { findByPath } from './json-path.js';

/** The text at a path; empty when there is none. */
export function textAt(object: unknown, path: string): string {
  const [value] = findByPath(object, path);
  return typeof value === 'string' ? value : '';
}

/** All texts at a path. */
export function textsAt(object: unknown, path: string): string[] {
  return findByPath(object, path).filter((value) => typeof value === 'string');
}

/** The number at a path, or `fallback`. */
export function numberAt(object: unknown, path: string, fallback = 0): number {
  const [value] = findByPath(object, path);
  return typeof value === 'number' ? value : fallback;
}

/** The fields of the object at a path. */
export function entries(object: unknown, path: string): [string, unknown][] {
  const [value] = findByPath(object, path);
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** How many fields or items the value at a path has. */
export function count(object: unknown, path: string): number {
  const [value] = findByPath(object, path);
  return Array.isArray(value) ? value.length : entries(object, path).length;
}

/** Values as kubectl joins them. */
export function text(values: readonly string[]): string {
  return values.join(',');
}
