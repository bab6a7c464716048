import { Command } from 'commander';
import { ApiClient } from '../client/api-client.js';
import { readCliEnvironment } from '../config.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';

/** `crate kubeconfig`: prints the kubeconfig of one cluster. */
export function kubeconfigCommand(): Command {
  return new Command('kubeconfig')
    .description('Print the kubeconfig of a cluster')
    .argument('<cluster>', 'name of the cluster')
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .option('--data-dir <dir>', 'data directory of the platform', readCliEnvironment().dataDir)
    .action(async (name: string, options: { readonly namespace: string; readonly dataDir: string }) => {
      const dir = new DataDir(options.dataDir);
      await getRunning(dir);
      const client = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
      const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${options.namespace}/clusters/${name}/kubeconfig`;
      process.stdout.write(await client.text(path));
    });
}
