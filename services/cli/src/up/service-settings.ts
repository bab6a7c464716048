import { parseEnv } from 'node:util';
import { badRequest } from '@crate/errors';
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

/** Reads environment variables for services, one `NAME=value` a line; throws BadRequest for a file that cannot be read, or has other lines. */
export async function readServiceSettings(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readGivenText(file);
  const other = otherLine(text);
  if (other !== undefined) throw badRequest(`--service-settings: ${file} has a line without NAME=value: line ${other}`);
  const variables = parseEnv(text);
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? '']));
}

/** Number of the first line that is no setting. The parser leaves such out, and a platform would run without what somebody wrote. */
function otherLine(text: string): number | undefined {
  // A value in quotes may have lines of its own.
  const flat = text.replaceAll(/=[^\S\n]*(["'`])[^]*?\1/g, (value) =>
    `=${value.replaceAll(/[^\n]/g, '')}`.replaceAll('\n', '\n#'),
  );
  const index = flat.split('\n').findIndex((line) => !/^\s*(#|$|(export\s+)?[\w.-]+\s*=)/.test(line));
  return index < 0 ? undefined : index + 1;
}
