import { Command, Option } from 'commander';
import { clientVersion } from '../config.js';
import { dataText } from '../output/print.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';

interface VersionOptions extends ApiOptions {
  readonly client?: true;
  readonly output: 'text' | 'json' | 'yaml';
}

/** `crate version`: of this program, and of the platform. */
export function versionCommand(): Command {
  return withApiOptions(new Command('version').description('Show the version of this program and of the platform'))
    .option('--client', 'of this program only')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', 'yaml']).default('text'))
    .action(async (options: VersionOptions) => {
      const client = clientVersion();
      const server = options.client ? undefined : await serverVersion(options);
      if (options.output !== 'text') return void process.stdout.write(dataText(options.output, { client, server }));
      console.log(`Client ${client}`);
      if (server !== undefined) console.log(`Server ${server}`);
    });
}

async function serverVersion(options: ApiOptions): Promise<string> {
  return (await (await apiOf(options)).get<{ readonly gitVersion: string }>('/version')).gitVersion;
}
