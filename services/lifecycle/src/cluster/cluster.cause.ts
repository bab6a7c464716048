import type { ErrorCause } from '@crate/errors';

/** One field of a Cluster that may not be so; `message` is what was expected. */
export function cause(field: string, given: unknown, message: string): ErrorCause {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(given)}: ${message}` };
}
