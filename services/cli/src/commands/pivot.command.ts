import { Command, Option } from 'commander';
import { formatOption } from './format-option.js';
import { durationOption } from './common-options.js';
import { lazily } from './lazily.js';

const HELP = `
It may be interrupted at any time: run it again and it goes on. Up to the step "verified" --rollback takes everything back.
PGPASSWORD is used where a URL has no password. Guide: docs/install/moving.md
`;

/** `crate pivot`: another installation takes over all that this one has, and the right to act. */
export function pivotCommand(): Command {
  return new Command('pivot')
    .description('Move an installation into another database, without a moment in which both act')
    .requiredOption('--from <where>', 'the installation to move: data directory, or postgresql:// URL of its database')
    .requiredOption('--to <where>', 'the installation that takes over: new, of the same release, and named likewise')
    .option(
      '--from-keys <dir>',
      'encryption keys of the first, a directory for each service, and trust; known of a data directory',
    )
    .option('--to-keys <dir>', 'where the second has its own')
    .option('--address <url>', 'where the API is afterwards, told to whoever still asks the first')
    .addOption(durationOption('--drain-timeout <duration>', 'how long work at hand may go on', '30m'))
    .addOption(new Option('--status', 'only say how far the move is').conflicts('rollback'))
    .option('--rollback', 'take the move back')
    .addOption(formatOption('table'))
    .addHelpText('after', HELP)
    .action(lazily(async () => (await import('../actions/pivot.action.js')).run));
}
