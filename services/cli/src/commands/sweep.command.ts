import { Command } from 'commander';
import { withApiOptions } from './api-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate sweep`: what carries tags of Crate in an account and belongs to nobody, and has it cleaned up. */
export function sweepCommand(): Command {
  return withApiOptions(
    new Command('sweep').description(
      'Look for cloud resources that belong to nobody, and have those removed that are proven abandoned',
    ),
  )
    .argument('<account>', 'name of the CloudAccount')
    .requiredOption('-n, --namespace <project>', 'Project of the account')
    .option('--dry-run', 'look and tell, and do nothing')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/sweep.action.js')).runSweep));
}
