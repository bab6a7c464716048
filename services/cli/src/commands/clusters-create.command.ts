import { Option, type Command } from 'commander';
import { parseParameter, parsePool } from '../clusters/cluster-wish.js';
import { onOneCluster, wholeNumber } from '../clusters/cluster-options.js';
import { collect, durationOption } from './common-options.js';
import { lazily } from './lazily.js';

const TIMEOUT = '1h';

/** `crate clusters create`: a cluster from a few options. */
export function clustersCreateCommand(): Command {
  return onOneCluster('create', 'Create a cluster; what is not said is as its class and its Project say')
    .option('--class <name>', 'ClusterClass that fills in the rest')
    .option('--param <name=value>', 'parameter of the class; may be repeated', parseParameter, {})
    .option('--account <name>', 'CloudAccount that pays; default: the only one of the Project')
    .option('--provider <name>', 'take the CloudAccount of this provider, such as aws')
    .option('--region <name>', 'region of the provider, such as us-east-1')
    .option('--version <version>', 'Kubernetes version, such as v1.31.4')
    .option('--nodes <count>', 'worker machines, in one pool', wholeNumber)
    .option('--machine-type <type>', 'machine type of these, such as m5.large')
    .option('--pool <name=count[:type]>', 'a pool of workers, instead; may be repeated', parsePool, [])
    .option('--control-plane <count>', 'control-plane machines: 1, 3, 5 or 7', wholeNumber)
    .option('--add-on <name>', 'add-on of the catalogue; may be repeated', collect, [])
    .addOption(
      new Option('--dry-run [where]', 'server: check it and say what it leads to; client: only write the document')
        .choices(['server', 'client'])
        .preset('server'),
    )
    .addOption(new Option('-o, --output <format>', 'print the document').choices(['json', 'yaml']))
    .option('--wait', 'until it is Ready, and show how it comes along')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', TIMEOUT))
    .action(lazily(async () => (await import('../actions/clusters-create.action.js')).create));
}
