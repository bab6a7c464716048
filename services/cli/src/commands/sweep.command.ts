import { Command } from 'commander';
import { withApiOptions, withNamespaceOption } from './api-options.js';
import { inProject } from './in-project.js';
import { formatOption } from './format-option.js';

/** `crate sweep`: what carries tags of Crate in an account and belongs to nobody, and has it cleaned up. */
export function sweepCommand(): Command {
  const command = new Command('sweep').description(
    'Look for cloud resources that belong to nobody, and have those removed that are proven abandoned',
  );
  return withNamespaceOption(withApiOptions(command))
    .argument('<account>', 'name of the CloudAccount')
    .option('--dry-run', 'look and tell, and do nothing')
    .addOption(formatOption('text'))
    .action(inProject(async () => (await import('../actions/sweep.action.js')).runSweep));
}
