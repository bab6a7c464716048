import { setTimeout as delay } from 'node:timers/promises';
import { isConditionTrue, type Cluster, type Manifest } from '@crate/api';
import { timeout } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';

const NAMESPACE = 'bench';
const POLL_MS = 50;
const TIMEOUT_MS = 600_000;
const OPTIONS = { fieldManager: 'crate-bench', force: true } as const;

/** The Project and account that clusters of a benchmark belong to. */
export async function prepareProject(api: TargetCluster): Promise<void> {
  const project: Manifest = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: NAMESPACE },
    spec: { displayName: 'Benchmark' },
  };
  const account: Manifest = {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: { name: 'sandbox', namespace: NAMESPACE },
    spec: { provider: 'sandbox-aws' },
  };
  await api.applyObject(project, OPTIONS);
  await api.applyObject(account, OPTIONS);
}

/** Asks for the cluster of the quickstart under another name. */
export async function createCluster(api: TargetCluster, name: string): Promise<void> {
  const cluster: Manifest = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { engine: 'rke', version: 'v1.31.4' },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
      addOns: [{ name: 'docs' }],
    },
  };
  await api.applyObject(cluster, OPTIONS);
}

/** Seconds from now until every one of `count` clusters was seen Ready, one entry each, in the order they became so. */
export async function waitUntilReady(api: TargetCluster, count: number): Promise<readonly number[]> {
  const startedAt = performance.now();
  const readyAfter = new Map<string, number>();
  while (readyAfter.size < count) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw timeout(`Only ${readyAfter.size} of ${count} became Ready`);
    const { items } = await api.list('lifecycle.crate.dev/v1alpha1', 'Cluster', { namespace: NAMESPACE });
    for (const cluster of items as readonly Cluster[]) {
      const { name, generation } = cluster.metadata;
      if (readyAfter.has(name) || !isConditionTrue(cluster.status?.conditions, 'Ready', generation)) continue;
      readyAfter.set(name, (performance.now() - startedAt) / 1000);
    }
    await delay(POLL_MS);
  }
  return [...readyAfter.values()];
}
