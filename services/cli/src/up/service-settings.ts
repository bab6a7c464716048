import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { badRequest } from '@crate/errors';

/** Reads environment variables for services, one `NAME=value` a line; throws BadRequest when the file cannot be read. */
export async function readServiceSettings(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    const variables = parseEnv(await readFile(file, 'utf8'));
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? '']));
  } catch (error) {
    throw badRequest(`Cannot read the settings of services: ${String(error)}`);
  }
}
