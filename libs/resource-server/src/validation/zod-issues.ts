import type { z } from 'zod';
import { type FieldError, type FieldPath, valueAt } from './field-error.js';

type Issue = z.core.$ZodIssue;

/** Zod's findings as field errors; unknown keys are handled apart. */
export function toFieldErrors(issues: readonly Issue[], document: unknown): FieldError[] {
  return issues.filter((issue) => issue.code !== 'unrecognized_keys').map((issue) => toFieldError(issue, document));
}

/** The paths of keys the schema does not know, in document order. */
export function unknownKeys(issues: readonly Issue[]): FieldPath[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...pathOf(issue), key]) : [],
  );
}

function pathOf(issue: Issue): FieldPath {
  return issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
}

function toFieldError(issue: Issue, document: unknown): FieldError {
  const path = pathOf(issue);
  const value = valueAt(document, path);
  if (value === undefined && isMissing(issue)) return { path, reason: 'FieldValueRequired', detail: '' };
  return { path, value, ...explain(issue) };
}

function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';
}

function explain(issue: Issue): Pick<FieldError, 'reason' | 'detail'> {
  switch (issue.code) {
    case 'invalid_type':
      return { reason: 'FieldValueTypeInvalid', detail: `must be ${article(typeName(issue.expected))}` };
    case 'invalid_value':
      return { reason: 'FieldValueNotSupported', detail: `supported values: ${quoted(issue.values)}` };
    case 'too_small':
      return invalid(bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum));
    case 'too_big':
      return invalid(bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum));
    case 'not_multiple_of':
      return invalid(`must be a multiple of ${issue.divisor}`);
    case 'invalid_format':
      return invalid(issue.message.startsWith('Invalid') ? `must match the format ${issue.format}` : issue.message);
    case 'invalid_union':
      return invalid(explainUnion(issue));
    default:
      return invalid(issue.message);
  }
}

function invalid(detail: string): Pick<FieldError, 'reason' | 'detail'> {
  return { reason: 'FieldValueInvalid', detail };
}

function explainUnion(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const options = issue.errors.map((errors) => errors.map((error) => explain(error).detail).join(' and '));
  return options.length === 0 ? issue.message : options.join(', or ');
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${relation} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `must have ${relation} ${limit} items`;
  return `must be ${relation} ${limit}`;
}

function typeName(expected: string): string {
  const names: Readonly<Record<string, string>> = { int: 'integer', record: 'object', map: 'object' };
  return names[expected] ?? expected;
}

function article(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}
