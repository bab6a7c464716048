import { Command } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { withFileOption } from './apply.command.js';
import { lazily } from './lazily.js';

/** `crate diff`: what `crate apply` would change, as the platform itself works it out. */
export function diffCommand(): Command {
  const command = new Command('diff').description(
    'Show what applying files would change, and change nothing; exit code 8 when something would',
  );
  return withApiOptions(withFileOption(withNamespaceOption(command)))
    .option('--force-conflicts', 'as if fields that somebody else has set were taken over')
    .action(lazily(async () => (await import('../actions/diff.action.js')).diff));
}
