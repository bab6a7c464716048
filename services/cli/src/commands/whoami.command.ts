import { Command } from 'commander';
import { withApiOptions } from './api-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate whoami`: who the API takes the caller for. */
export function whoamiCommand(): Command {
  return withApiOptions(new Command('whoami').description('Show who the API takes you for'))
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/whoami.action.js')).runWhoami));
}
