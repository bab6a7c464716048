import { Command } from 'commander';
import { dataDirOption } from './common-options.js';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate status`: what runs on a data directory, or how a platform elsewhere is. Exit code 3 when nothing does, 1 when something is not ready. */
export function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show what runs on a data directory, or how a platform elsewhere is (exit code 3: nothing, 1: something is not ready)',
    )
    .addOption(dataDirOption('where everything is kept'))
    .option('--remote', 'ask the platform of the kubeconfig, wherever that runs, for its services and replicas')
    .option('--kubeconfig <file>', 'with --remote, which it implies; default: $KUBECONFIG, or ~/.kube/config')
    .option('--context <name>', 'with --remote, which it implies; default: the current one')
    .addOption(formatOption('table'))
    .action(lazily(async () => (await import('../actions/status.action.js')).runStatus));
}
