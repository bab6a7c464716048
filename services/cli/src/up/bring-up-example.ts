import { join } from 'node:path';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import type { Cluster } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { resourcePath } from '../client/resource-path.js';
import { longestKubeconfigPath } from '../clusters/longest-kubeconfig.js';
import { repositoryRoot } from '../config.js';
import { formatTable } from '../progress/table.js';
import { createProgressView } from '../progress/progress-view.js';
import type { DataDir } from './data-dir.js';
import { createMissing, followCluster } from './example.js';
import { writeSecretFile } from './secret-file.js';
import type { ShowExampleOptions } from './show-example.js';

/** Creates the cluster of the file, follows it and shows what is in it. Gives the path of its kubeconfig once it is Ready. */
export async function bringUpExample(
  { client, dir, signal }: Pick<ShowExampleOptions, 'client' | 'dir' | 'signal'>,
  example: string,
): Promise<string | undefined> {
  const document = await createMissing(client, join(repositoryRoot(), example), signal);
  if (!document) return undefined;
  const path = await resourcePath(client, document);
  const name = `${document.metadata.namespace}/${document.metadata.name}`;
  console.log(`\nCluster ${name} of ${example}:\n`);
  const view = createProgressView(process.stdout);
  const cluster = await followCluster(client, path, view, signal);
  view.close();
  if (signal.aborted) return undefined;
  if (cluster) return showCluster(client, dir, path, cluster);
  console.log(`\nCluster ${name} was deleted`);
  return undefined;
}

async function showCluster(client: ApiClient, dir: DataDir, path: string, cluster: Cluster): Promise<string> {
  const { name, namespace = '' } = cluster.metadata;
  // Its use is shown now, and tried days later: the file is written at the next start only.
  const text = await client.kubeconfig(longestKubeconfigPath(path));
  const file = join(dir.kubeconfigs(), `${namespace}-${name}.kubeconfig`);
  await writeSecretFile(file, text);
  const target = new HttpTargetCluster(text);
  console.log(`\nCluster ${namespace}/${name} is Ready at ${cluster.status?.apiEndpoint}. From its own API:\n`);
  await showNodes(target);
  await showWorkloads(target);
  return file;
}

async function showNodes(target: TargetCluster): Promise<void> {
  const nodes = await target.nodes();
  table(
    ['NODE', 'STATUS', 'ROLES', 'VERSION'],
    nodes.map((node) => [node.name, node.ready ? 'Ready' : 'NotReady', node.role, node.version]),
  );
}

async function showWorkloads(target: TargetCluster): Promise<void> {
  const { items } = await target.list('apps/v1', 'Deployment');
  const rows = items
    .filter((item) => item.metadata.namespace !== 'kube-system')
    .map((item) => {
      const { readyReplicas = 0, replicas = 0 } = (item['status'] ?? {}) as Record<string, number>;
      return [item.metadata.namespace ?? '', item.metadata.name, `${readyReplicas}/${replicas}`];
    });
  console.log('');
  table(['NAMESPACE', 'ADD-ON WORKLOAD', 'READY'], rows);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of formatTable(header, rows)) console.log(`  ${line}`);
}
