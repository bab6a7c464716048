import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { badRequest } from '@crate/errors';
import { readGivenText } from '../output/in-file.js';

/**
 * Where the list of issuers is, for a service that reads it itself. Throws BadRequest for a file that cannot be read and for one that is no YAML:
 * the service would only end again and again.
 */
export async function findIssuersFile(file: string): Promise<string> {
  const [error] = parseDocument(await readGivenText(file)).errors;
  if (error === undefined) return resolve(file);
  throw badRequest(`--issuers-file: ${file} is no YAML: ${error.message.split('\n', 1)[0] ?? ''}`);
}
