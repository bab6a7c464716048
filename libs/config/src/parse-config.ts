import { readFileSync } from 'node:fs';
import { invalidSpec, type ErrorCause, type PlatformError } from '@crate/errors';
import type { z } from 'zod';
import { coerce } from './coerce.js';
import type { Environment } from './config.js';
import { listFields, type ConfigField } from './schema-fields.js';

const PREFIX = 'CRATE_';

export interface ParseConfigOptions {
  /** Told of things that are likely mistakes but stop nothing, such as an unknown CRATE_ variable. */
  readonly onWarning?: (message: string, fields: { readonly variables: readonly string[] }) => void;
}

/**
 * Reads a service's configuration. Each field comes from the variable named after its path (`database.poolSize` is
 * CRATE_DATABASE_POOL_SIZE) or by `.meta({ env })`; a secret also from the file that `<NAME>_FILE` names. An empty variable counts as unset.
 * Throws InvalidSpec with one cause per bad variable: its name and what was expected, never its value.
 */
export function parseConfig<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
  options: ParseConfigOptions = {},
): z.output<T> {
  const fields = listFields(schema);
  warnUnknown(fields, environment, options);
  const { input, causes } = readInput(fields, environment);
  const result = schema.safeParse(input);
  const all = result.success ? causes : [...causes, ...issueCauses(result.error, fields, input, causes)];
  if (result.success && causes.length === 0) return result.data;
  throw configError(all);
}

/** The secret values inside a parsed configuration, to be registered with the log's redactor. */
export function listSecretValues(schema: z.ZodObject, config: unknown): readonly string[] {
  const values = listFields(schema)
    .filter((field) => field.secret)
    .map((field) =>
      field.path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config),
    );
  return values.filter((value) => typeof value === 'string');
}

function readInput(fields: readonly ConfigField[], environment: Environment): { input: object; causes: ErrorCause[] } {
  const input = {};
  const causes: ErrorCause[] = [];
  for (const field of fields) {
    const text = readText(field, environment, causes);
    // An object that must be there is made even when empty, so that the fields missing in it are reported one by one.
    const parent = text === undefined && field.isInOptionalGroup ? undefined : parentOf(input, field.path);
    if (parent && text !== undefined) parent[field.path.at(-1) ?? ''] = coerce(field, text);
  }
  return { input, causes };
}

function parentOf(input: object, path: readonly string[]): Record<string, unknown> {
  return path.slice(0, -1).reduce<Record<string, unknown>>(
    (node, key) => {
      node[key] ??= {};
      return node[key] as Record<string, unknown>;
    },
    input as Record<string, unknown>,
  );
}

function readText(field: ConfigField, environment: Environment, causes: ErrorCause[]): string | undefined {
  const text = environment[field.env] || undefined;
  const file = (field.secret && environment[`${field.env}_FILE`]) || undefined;
  if (file === undefined) return text;
  if (text !== undefined) {
    causes.push(cause(field.env, `give either ${field.env} or ${field.env}_FILE, not both`));
    return text;
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    causes.push(cause(`${field.env}_FILE`, 'expected the path of a readable file'));
    return undefined;
  }
}

function warnUnknown(fields: readonly ConfigField[], environment: Environment, options: ParseConfigOptions): void {
  const known = new Set(fields.flatMap((field) => (field.secret ? [field.env, `${field.env}_FILE`] : [field.env])));
  const variables = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.has(name));
  if (variables.length > 0)
    options.onWarning?.('Ignoring unknown configuration variables', { variables: variables.sort() });
}

function issueCauses(
  error: z.ZodError,
  fields: readonly ConfigField[],
  input: object,
  earlier: readonly ErrorCause[],
): readonly ErrorCause[] {
  const reported = new Set(earlier.map((known) => known.field?.replace(/_FILE$/, '')));
  return error.issues.flatMap((issue) => {
    const field = fields.find((candidate) => candidate.path.every((key, index) => issue.path[index] === key));
    if (field && reported.has(field.env)) return [];
    return [cause(field?.env ?? issue.path.join('.'), expectation(issue, field, input))];
  });
}

/** What was expected, in words that cannot hold the value: Zod names types, bounds, formats and choices only. */
function expectation(issue: z.core.$ZodIssue, field: ConfigField | undefined, input: object): string {
  if (field && isMissing(field, input)) return `is required, expected ${expected(field)}`;
  const isElement = issue.path.length > (field?.path.length ?? 0);
  if (issue.code !== 'invalid_type' || !field || isElement) return issue.message;
  return `expected ${issue.expected === 'int' && field.type === 'number' ? 'a whole number' : expected(field)}`;
}

function expected(field: ConfigField): string {
  switch (field.type) {
    case 'duration':
      return 'a duration such as 500ms, 30s, 5m, 2h or 1d';
    case 'enum':
      return `one of ${(field.choices ?? []).join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'list':
      return 'a comma-separated list';
    default:
      return `a ${field.type}${field.unit === undefined ? '' : ` (${field.unit})`}`;
  }
}

function isMissing(field: ConfigField, input: object): boolean {
  return (
    field.path.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], input) === undefined
  );
}

function cause(field: string, message: string): ErrorCause {
  return { reason: 'FieldValueInvalid', field, message };
}

function configError(causes: readonly ErrorCause[]): PlatformError {
  const lines = causes.map((each) => `${each.field || 'configuration'}: ${each.message}`);
  return invalidSpec(`The configuration is not valid: ${lines.join('; ')}`, causes);
}
