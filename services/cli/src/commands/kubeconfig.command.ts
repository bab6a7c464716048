import { Command } from 'commander';
import { badRequest } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';
import { dataDirOption } from './common-options.js';

interface KubeconfigOptions {
  readonly namespace?: string;
  readonly user?: string;
  readonly group: readonly string[];
  readonly dataDir: string;
}

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
    .action(async (cluster: string | undefined, options: KubeconfigOptions) => {
      process.stdout.write(await (options.user === undefined ? ofCluster(cluster, options) : ofPerson(options)));
    });
}

async function ofCluster(cluster: string | undefined, { namespace, dataDir }: KubeconfigOptions): Promise<string> {
  if (cluster === undefined || namespace === undefined) {
    throw badRequest('Give a cluster and its Project (crate kubeconfig NAME -n PROJECT), or --user');
  }
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  const client = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
  return client.text(
    `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${namespace}/clusters/${cluster}/kubeconfig`,
    'application/yaml',
  );
}

async function ofPerson({ user = '', group, dataDir }: KubeconfigOptions): Promise<string> {
  const dir = new DataDir(dataDir);
  const { apiUrl } = await getRunning(dir);
  const { personKubeconfig } = await import('../up/local-person.js');
  return personKubeconfig(dir, apiUrl, { user, groups: group });
}

function collect(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}
