import { Command } from 'commander';
import { collect, dataDirOption } from './common-options.js';
import { lazily } from './lazily.js';

/** `crate kubeconfig`: prints the kubeconfig of one cluster, or one for Crate's own API as somebody else. */
export function kubeconfigCommand(): Command {
  return new Command('kubeconfig')
    .description(
      'For the local platform: with --user, print a kubeconfig for it as that person; with a cluster, print its kubeconfig (elsewhere: crate clusters kubeconfig)',
    )
    .argument('[cluster]', 'name of the cluster')
    .option('-n, --namespace <project>', 'Project of the cluster')
    .option('--user <name>', 'somebody to be on the local platform')
    .option('--group <name>', 'group of that person; may be repeated', collect, [])
    .addOption(dataDirOption('data directory of the platform'))
    .action(lazily(async () => (await import('../actions/kubeconfig.action.js')).runKubeconfig));
}
