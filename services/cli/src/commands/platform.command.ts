import { Command } from 'commander';
import { withApiOptions } from './api-options.js';
import { durationOption } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';

const EXAMPLES = `
Examples:
  crate platform upgrade --plan                what the newest version leads to; changes nothing
  crate platform upgrade --to 0.2.0 --wait     asks, and shows how it comes along
  crate platform upgrade --yes --wait          for scripts: by the exit code
  crate platform upgrade --plan -o json        for programs

Exit codes: 4: it is refused, and the message says what to do; 6: it takes longer than --timeout, and goes on;
9, with --wait: the version before was put back, or somebody set another one.`;

/** `crate platform`: what those who run the platform do with it. */
export function platformCommand(): Command {
  return new Command('platform').description('Upgrade the platform itself').addCommand(upgradeCommand());
}

function upgradeCommand(): Command {
  return withApiOptions(new Command('upgrade'))
    .description('Bring all services of the platform to a version: shows what it leads to, and asks first')
    .option('--to <version>', 'default: the newest that is offered')
    .option('--plan', 'show what it leads to and what is in the way, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--wait', 'until all services have it or went back, and show how they come along')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .addOption(formatOption('text'))
    .addHelpText('after', EXAMPLES)
    .action(lazily(async () => (await import('../actions/platform.action.js')).runUpgrade));
}
