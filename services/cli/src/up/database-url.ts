import { badRequest } from '@crate/errors';
import { readGivenText } from '../output/in-file.js';

/**
 * The URL in a file, whose password shall not be seen among arguments. Throws BadRequest for a file that cannot be read, and for what is no URL of
 * PostgreSQL. Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export async function readDatabaseUrl(file: string): Promise<string> {
  const text = await readGivenText(file);
  if (!isDatabaseUrl(text.trim())) {
    throw badRequest(`--database-url-file: ${file} has no URL such as postgresql://user:password@host:5432/database`);
  }
  return new URL(text.trim()).href;
}

/** Whether it is a URL of PostgreSQL. */
export function isDatabaseUrl(text: string): boolean {
  return ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '');
}
