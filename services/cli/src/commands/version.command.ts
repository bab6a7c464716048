import { Command, Option } from 'commander';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate version`: of this program, and of the platform. */
export function versionCommand(): Command {
  return withApiOptions(new Command('version').description('Show the version of this program and of the platform'))
    .option('--client', 'of this program only')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', 'yaml']).default('text'))
    .action(lazily(async () => (await import('../actions/version.action.js')).runVersion));
}
