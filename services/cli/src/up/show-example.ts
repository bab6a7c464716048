import { join } from 'node:path';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { isConditionTrue, type Cluster } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { resourcePath } from '../client/resource-path.js';
import { repositoryRoot } from '../config.js';
import { formatTable } from '../progress/table.js';
import { createProgressView } from '../progress/progress-view.js';
import type { DataDir } from './data-dir.js';
import { createMissing, followCluster, reasonOf } from './example.js';
import { builtConsoleDir } from './services.js';
import { writeSecretFile } from './secret-file.js';

const EXAMPLE = 'examples/quickstart.yaml';

export interface ShowExampleOptions {
  readonly client: ApiClient;
  readonly dir: DataDir;
  readonly withExample: boolean;
  readonly sandboxUrl: string;
  readonly signal: AbortSignal;
}

/** Brings the example cluster up before the person's eyes, then tells where everything is and what to do next. */
export async function showExample(options: ShowExampleOptions): Promise<void> {
  let kubeconfig: string | undefined;
  try {
    if (options.withExample) kubeconfig = await bringUp(options);
  } catch (error) {
    // The platform itself is fine, and so is everything else on it.
    const { message, details } = toPlatformError(error);
    console.error(`\nThe example did not work: ${[message, details.remedy].filter(Boolean).join('. ')}`);
  }
  if (!options.signal.aborted) showNextSteps(options, kubeconfig);
}

/** Gives the path of the cluster's kubeconfig once it is Ready. */
async function bringUp({ client, dir, signal }: ShowExampleOptions): Promise<string | undefined> {
  const document = await createMissing(client, join(repositoryRoot(), EXAMPLE), signal);
  if (!document) return undefined;
  const path = await resourcePath(client, document);
  const name = `${document.metadata.namespace}/${document.metadata.name}`;
  console.log(`\nCluster ${name} of ${EXAMPLE}:\n`);
  const view = createProgressView(process.stdout);
  const cluster = await followCluster(client, path, view, signal);
  view.close();
  if (signal.aborted) return undefined;
  if (cluster) return showCluster(client, dir, path, cluster);
  console.log(`\nCluster ${name} was deleted`);
  return undefined;
}

async function showCluster(
  client: ApiClient,
  dir: DataDir,
  path: string,
  cluster: Cluster,
): Promise<string | undefined> {
  const { name, namespace = '' } = cluster.metadata;
  if (!isConditionTrue(cluster.status?.conditions, 'Ready')) {
    console.log(`\nCluster ${namespace}/${name} is not ready: ${reasonOf(cluster)}`);
    return undefined;
  }
  const text = await client.text(`${path}/kubeconfig`, 'application/yaml');
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

function showNextSteps(options: ShowExampleOptions, clusterKubeconfig: string | undefined): void {
  const admin = options.dir.adminKubeconfig();
  const kubectl = `kubectl --kubeconfig ${admin}`;
  const hasConsole = builtConsoleDir() !== undefined;
  const next = [
    ...(hasConsole ? [['Open the console', `npm run --silent crate -- console --data-dir ${options.dir.root}`]] : []),
    ['Watch clusters', `${kubectl} get clusters -A -w`],
    ...(clusterKubeconfig === undefined
      ? [['Create a cluster', `${kubectl} apply -f ${EXAMPLE}`]]
      : [
          [
            'Scale workers',
            `${kubectl} patch cluster demo -n team-a --type=json -p '[{"op":"replace","path":"/spec/nodePools/0/replicas","value":4}]'`,
          ],
          ['Use the cluster', `kubectl --kubeconfig ${clusterKubeconfig} get pods -A`],
          ['Delete it', `${kubectl} delete cluster demo -n team-a`],
        ]),
    ['Cloud inventory', `npm run --silent crate -- sandbox inventory --data-dir ${options.dir.root}`],
  ];
  console.log('');
  console.log(`  API             ${options.client.server}`);
  if (hasConsole) console.log(`  Console         ${options.client.server}/console/`);
  console.log(`  Sandbox cloud   ${options.sandboxUrl}`);
  console.log(`  kubeconfig      ${admin}`);
  if (clusterKubeconfig !== undefined) console.log(`  demo kubeconfig ${clusterKubeconfig}`);
  console.log(`  Logs            ${options.dir.logs()}\n\nNext:`);
  for (const [label, command] of next) console.log(`  ${(label ?? '').padEnd(18)}${command}`);
  console.log('\nCtrl-C stops everything and keeps the data.');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of formatTable(header, rows)) console.log(`  ${line}`);
}
