import { readFile } from 'node:fs/promises';
import { issuersSchema, type OidcIssuerOptions } from '@crate/auth';
import { invalidSpec } from '@crate/errors';
import { parse } from 'yaml';

/** The issuers that a YAML file lists; throws InvalidSpec naming every bad field. */
export async function readIssuers(file: string): Promise<readonly OidcIssuerOptions[]> {
  const result = issuersSchema.safeParse(await readYaml(file));
  if (result.success) return result.data.issuers;
  const causes = result.error.issues.map(({ path, message }) => ({
    reason: 'FieldValueInvalid',
    field: path.join('.'),
    message,
  }));
  const lines = causes.map(({ field, message }) => `${field || 'document'}: ${message}`);
  throw invalidSpec(`${file} is not valid: ${lines.join('; ')}`, causes);
}

async function readYaml(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    throw invalidSpec(`${file} cannot be read as YAML: ${(error as Error).message}`, []);
  }
}
