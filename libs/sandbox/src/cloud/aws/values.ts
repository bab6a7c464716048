import { isObject, type Value, type Values } from '../terraform/value.js';

/** The text of an attribute; empty when it is null. */
export function text(values: Values, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

/** The texts of a list or set attribute. */
export function texts(values: Values, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? (value as Value[]).filter((item) => typeof item === 'string') : [];
}

/** The number of an attribute; undefined when it is null. */
export function number(values: Values, name: string): number | undefined {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
}

/** The objects of a nested block. */
export function objects(values: Values, name: string): Values[] {
  const value = values[name];
  return Array.isArray(value) ? (value as Value[]).filter(isObject) : [];
}

/** `values` with what is null in it filled from `fallback`. */
export function fill(values: Values, fallback: Values): Values {
  const filled: Record<string, Value> = { ...values };
  for (const [name, value] of Object.entries(fallback)) filled[name] ??= value;
  return filled;
}
