/** Keys whose own keys are the user's words. */
const OPAQUE = new Set(['labels', 'extra_args', 'extra_env', 'options', 'node_selector']);

/** The same document with `snake_case` and `kebab-case` keys in camel case, as the state file spells them. */
export function camelCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCaseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, unknown] => [
      key.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      OPAQUE.has(key) ? inner : camelCaseKeys(inner),
    ]),
  );
}
