import type { CompiledQuery } from './compiled-query.js';
import type { FieldRequirement } from './field-selector.js';
import type { LabelRequirement } from './label-selector.js';

/** Collects the parameters of a statement while its text is built. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** The placeholder for `value`. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** The condition for a query's collection and namespace. */
export function collectionSql(query: CompiledQuery, parameters: SqlParameters): string {
  const conditions = [`api_group = ${parameters.add(query.group)}`, `kind = ${parameters.add(query.kind)}`];
  if (query.namespace !== undefined) conditions.push(`namespace = ${parameters.add(query.namespace)}`);
  return conditions.join(' AND ');
}

/** The condition for a query's selectors over the columns `name`, `namespace`, `labels` and `object`; agrees with `CompiledQuery.matches`. */
export function selectorSql(query: CompiledQuery, parameters: SqlParameters): string {
  const labels = query.labels.map((requirement) => labelSql(requirement, parameters));
  const fields = query.fields.map((requirement) => fieldSql(requirement, parameters));
  return ['true', ...labels, ...fields].join(' AND ');
}

function labelSql({ key, operator, values }: LabelRequirement, parameters: SqlParameters): string {
  switch (operator) {
    case 'In':
      // Containment, which the index on labels serves.
      return `(${values.map((value) => `labels @> ${parameters.add(JSON.stringify({ [key]: value }))}`).join(' OR ')})`;
    case 'NotIn':
      return `NOT coalesce(labels ->> ${parameters.add(key)} = ANY (${parameters.add(values)}::text[]), false)`;
    case 'Exists':
      return `labels ? ${parameters.add(key)}`;
    case 'DoesNotExist':
      return `NOT labels ? ${parameters.add(key)}`;
  }
}

function fieldSql({ path, isEqual, value }: FieldRequirement, parameters: SqlParameters): string {
  return `${fieldTextSql(path, parameters)} ${isEqual ? '=' : '<>'} ${parameters.add(value)}`;
}

function fieldTextSql(path: readonly string[], parameters: SqlParameters): string {
  const dotted = path.join('.');
  if (dotted === 'metadata.name') return 'name';
  if (dotted === 'metadata.namespace') return 'namespace';
  const found = `object #> ${parameters.add(path)}::text[]`;
  const isScalar = `jsonb_typeof(${found}) IN ('string', 'number', 'boolean')`;
  return `CASE WHEN ${isScalar} THEN ${found} #>> '{}' ELSE '' END`;
}
