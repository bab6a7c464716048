import { invalidSpec } from '@crate/errors';
import type { z } from 'zod';

/** The body of a write to a subresource. Throws InvalidSpec naming every bad field. */
export function parsedBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const causes = parsed.error.issues.map(({ path, message }) => ({
    reason: 'FieldValueInvalid',
    field: path.join('.'),
    message,
  }));
  throw invalidSpec(
    `The request is not valid: ${causes.map(({ field, message }) => `${field}: ${message}`).join(', ')}`,
    causes,
  );
}
