import { Command, Option } from 'commander';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

const EXAMPLES = `
Examples:
  crate components                what runs, what is wanted, and what there is
  crate components -o wide        with windows, channels, and why one waits
  crate components -w             an upgrade, as it comes along
  crate platform upgrade --plan   what an upgrade would lead to`;

/** `crate components`: the services of the platform, and their versions. */
export function componentsCommand(): Command {
  return withApiOptions(new Command('components'))
    .description(
      'Show the services of the platform: what runs, what is wanted, what there is, and how far an upgrade is',
    )
    .option('-w, --watch', 'then show every change, until Ctrl-C')
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', EXAMPLES)
    .action(lazily(async () => (await import('../actions/components.action.js')).runComponents));
}
