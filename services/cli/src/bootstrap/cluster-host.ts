import { readFile } from 'node:fs/promises';
import { currentEntries, parseKubeconfig } from '@crate/kubernetes';
import type { BootstrapDir } from './bootstrap-dir.js';

/** Where the API of the platform cluster is, which is its load balancer, as the kubeconfig of the cluster says. */
export async function clusterHost(dir: BootstrapDir): Promise<string> {
  const { cluster } = currentEntries(parseKubeconfig(await readFile(dir.clusterKubeconfig(), 'utf8')));
  return new URL(String(cluster['server'])).hostname;
}
