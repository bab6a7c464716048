import type { JsonObject } from '@crate/api';
import type { FieldError, FieldPath, JsonSchema } from '@crate/resource-server';
import { checkValues } from '../value-schema/value-schema.js';

/** The parameters of a cluster with defaults, or everything wrong with them; paths begin at `prefix`. */
export function checkParameters(
  schema: JsonSchema,
  given: unknown,
  prefix: FieldPath,
): { readonly params: JsonObject; readonly errors: readonly FieldError[] } {
  const { values, errors } = checkValues(schema, given, prefix, { owner: 'the class', one: 'parameter' });
  return { params: values, errors };
}
