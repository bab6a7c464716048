import { parseEnv } from 'node:util';
import { readGivenText } from '../output/in-file.js';

/** Services have names of their own: with one for all nobody could tell them apart. */
const OF_ONE_PROCESS = ['OTEL_SERVICE_NAME'];

/** Where services send their traces: what this program's own environment says of it, and `endpoint` over that. */
export function traceSettings(
  environment: Readonly<Record<string, string | undefined>>,
  endpoint: string | undefined,
): Readonly<Record<string, string>> {
  const known = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith('OTEL_') && !OF_ONE_PROCESS.includes(entry[0]) && entry[1] !== undefined,
  );
  return { ...Object.fromEntries(known), ...(endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }) };
}

/** Reads environment variables for services, one `NAME=value` a line; throws BadRequest when the file cannot be read. */
export async function readServiceSettings(file: string): Promise<Readonly<Record<string, string>>> {
  const variables = parseEnv(await readGivenText(file));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? '']));
}
