import { clientVersion } from '../config.js';
import { dataText } from '../output/print.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

interface VersionOptions extends ApiOptions {
  readonly client?: true;
  readonly output: 'text' | 'json' | 'yaml';
}

export async function runVersion(options: VersionOptions): Promise<void> {
  const client = clientVersion();
  // This program's is known whatever the platform does.
  if (options.output === 'text') console.log(`Client ${client}`);
  const server = options.client ? undefined : await serverVersion(options);
  if (options.output !== 'text') process.stdout.write(dataText(options.output, { client, server }));
  else if (server !== undefined) console.log(`Server ${server}`);
}

async function serverVersion(options: ApiOptions): Promise<string> {
  return (await (await apiOf(options)).get<{ readonly gitVersion: string }>('/version')).gitVersion;
}
