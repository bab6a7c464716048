import { badRequest } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { DataDir } from '../up/data-dir.js';
import { getRunning } from '../up/run-file.js';

interface KubeconfigOptions {
  readonly namespace?: string;
  readonly user?: string;
  readonly group: readonly string[];
  readonly dataDir: string;
}

export async function runKubeconfig(cluster: string | undefined, options: KubeconfigOptions): Promise<void> {
  process.stdout.write(await (options.user === undefined ? ofCluster(cluster, options) : ofPerson(options)));
}

async function ofCluster(cluster: string | undefined, { namespace, dataDir }: KubeconfigOptions): Promise<string> {
  if (cluster === undefined || namespace === undefined) {
    throw badRequest('Give a cluster and its Project (crate kubeconfig NAME -n PROJECT), or --user');
  }
  const dir = new DataDir(dataDir);
  await getRunning(dir);
  const client = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
  return client.kubeconfig(`/apis/lifecycle.crate.dev/v1alpha1/namespaces/${namespace}/clusters/${cluster}/kubeconfig`);
}

async function ofPerson({ user = '', group, dataDir }: KubeconfigOptions): Promise<string> {
  const dir = new DataDir(dataDir);
  const { apiUrl } = await getRunning(dir);
  const { personKubeconfig } = await import('../up/local-person.js');
  return personKubeconfig(dir, apiUrl, { user, groups: group });
}
