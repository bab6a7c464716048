import { invalidSpec } from '@crate/errors';

/** What a schema of zod can do. */
interface BodySchema<T> {
  safeParse(
    body: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The body of a write to a subresource. Throws InvalidSpec naming every bad field. */
export function parsedBody<T>(schema: BodySchema<T>, body: unknown): T {
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
