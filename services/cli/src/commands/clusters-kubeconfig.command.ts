import { InvalidArgumentError, Option, type Command } from 'commander';
import { onOneCluster } from '../clusters/cluster-options.js';
import { parseDuration } from '../objects/duration.js';
import { KUBECONFIG_SECONDS } from './api-values.js';
import { lazily } from './lazily.js';

/** `crate clusters kubeconfig`: the way into a cluster. */
export function clustersKubeconfigCommand(): Command {
  return onOneCluster('kubeconfig', 'Print the kubeconfig of a cluster, write it to a file, or add it to your own')
    .addOption(
      new Option('--expires <duration>', 'after which time its certificate ends, 10m to 365d; default: 24h').argParser(
        parseLifetime,
      ),
    )
    .option('-O, --out <file>', 'write to a file that only you can read')
    .option(
      '--merge',
      'add it as the context PROJECT-CLUSTER to ~/.kube/config (or the first of $KUBECONFIG), over that of an earlier --merge; refused where the name is that of another entry',
    )
    .action(lazily(async () => (await import('../actions/clusters-kubeconfig.action.js')).runClustersKubeconfig));
}

/** In milliseconds. Throws InvalidArgumentError. */
function parseLifetime(text: string): number {
  const lifetimeMs = parseDuration(text);
  const { least, most } = KUBECONFIG_SECONDS;
  if (lifetimeMs >= least * 1_000 && lifetimeMs <= most * 1_000) return lifetimeMs;
  throw new InvalidArgumentError('Expected 10m to 365d.');
}
