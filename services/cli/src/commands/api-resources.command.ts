import { Command, Option } from 'commander';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate api-resources`: what `get` and the others take as TYPE. */
export function apiResourcesCommand(): Command {
  return withApiOptions(
    new Command('api-resources').description('List the kinds that the platform serves, with their short names'),
  )
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['table', 'name', 'json', 'yaml'])
        .default('table'),
    )
    .action(lazily(async () => (await import('../actions/api-resources.action.js')).runApiResources));
}
