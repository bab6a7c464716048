/**
 * The same value with every text in it meant as it stands: Terraform takes each text of a configuration for a template, whose expressions may read
 * files of whoever runs it. Pure.
 * Source: https://developer.hashicorp.com/terraform/language/syntax/json#expression-mapping
 */
export function literally<T>(value: T): T {
  return inside(value) as T;
}

function inside(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/[$%](?=\{)/g, '$&$&');
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, inside(entry)]));
}
