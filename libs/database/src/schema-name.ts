import { badRequest } from '@crate/errors';

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** The name itself when it needs no quoting; throws BadRequest otherwise, so it may be put into SQL text. */
export function checkedSchemaName(name: string): string {
  if (SCHEMA_NAME.test(name) && !name.startsWith('pg_')) return name;
  throw badRequest(`"${name}" is no schema name: want lower-case letters, digits and _, at most 63, not pg_*`);
}
