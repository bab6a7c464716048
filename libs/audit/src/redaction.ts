import { isSecretKey, REDACTED, Redactor } from '@crate/telemetry';

/** What of a JSON schema says which fields are secret; `writeOnly` as in OpenAPI. */
export interface SecretSchema {
  readonly writeOnly?: unknown;
  readonly properties?: Readonly<Record<string, SecretSchema>>;
  readonly items?: SecretSchema | boolean | readonly SecretSchema[];
  readonly additionalProperties?: SecretSchema | boolean;
  readonly allOf?: readonly SecretSchema[];
  readonly anyOf?: readonly SecretSchema[];
  readonly oneOf?: readonly SecretSchema[];
}

/** Schemas of the value at a place: several where a schema has alternatives. */
export type Schemas = readonly SecretSchema[];

const shapes = new Redactor();

/** The schemas that a member's value may have. */
export function memberSchemas(schemas: Schemas, key: string | number): Schemas {
  return schemas.flatMap(expanded).flatMap((schema) => {
    if (typeof key === 'number') return isSchema(schema.items) ? [schema.items] : [];
    const named = schema.properties?.[key];
    if (named) return [named];
    return isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [];
  });
}

/** True where the schema says `writeOnly`, or the field's name says that it holds a secret. */
export function isSecret(schemas: Schemas, key: string | number): boolean {
  return schemas.flatMap(expanded).some(({ writeOnly }) => writeOnly === true) || isSecretKey(String(key));
}

/** A copy without secrets: by schema, by the names of fields, and by shapes such as private keys and tokens. */
export function redactValue(value: unknown, schemas: Schemas): unknown {
  if (typeof value === 'string') return shapes.redactText(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, memberSchemas(schemas, 0)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const below = memberSchemas(schemas, key);
      return [key, isSecret(below, key) ? REDACTED : redactValue(member, below)];
    }),
  );
}

function expanded(schema: SecretSchema): Schemas {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap(expanded)];
}

function isSchema(value: unknown): value is SecretSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
