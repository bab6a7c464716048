import { parseDocument } from 'yaml';

/** The document of a text; empty where it is no object. Throws Error with the line when it is no YAML. Pure. */
export function documentOf(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseDocument(text);
  const [error] = parsed.errors;
  if (error) throw new Error(error.message);
  const value: unknown = parsed.toJS();
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
