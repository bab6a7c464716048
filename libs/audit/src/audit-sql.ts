import type { AuditField } from '@crate/api';
import type { AuditQuery } from './audit-log.js';

/** Columns of their own; all other fields are read from the line. */
const COLUMNS: Readonly<Partial<Record<AuditField, string>>> = {
  user: 'user_name',
  project: 'project',
  verb: 'verb',
  resource: 'resource',
};

/** The conditions of a query as SQL that goes on behind others, and all values: those given, then its own. */
export function conditionsOf(
  query: AuditQuery,
  given: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } {
  const values = [...given];
  const place = (value: string): string => `$${values.push(value)}`;
  const parts = (query.conditions ?? []).map(
    ({ field, isEqual, value }) => `${expression(field)} ${isEqual ? '=' : '<>'} ${place(value)}`,
  );
  if (query.since !== undefined) parts.push(`time >= ${place(query.since)}`);
  if (query.until !== undefined) parts.push(`time < ${place(query.until)}`);
  return { text: parts.map((part) => ` AND ${part}`).join(''), values };
}

/** `field` is one of a closed list, so it may stand in the text. A field that a record lacks counts as empty. */
function expression(field: AuditField): string {
  return COLUMNS[field] ?? `coalesce(line::jsonb ->> '${field}', '')`;
}
