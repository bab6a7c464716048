import { setTimeout as delay } from 'node:timers/promises';
import { isConditionTrue, type Cluster, type Manifest } from '@crate/api';
import { timeout } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';

/** Project of the benchmark. */
export const NAMESPACE = 'bench';
const POLL_MS = 50;
const TIMEOUT_MS = 600_000;
const OPTIONS = { fieldManager: 'crate-bench', force: true } as const;

/** A Project, and the account in it that its clusters belong to. */
export async function prepareProject(api: TargetCluster, name = NAMESPACE): Promise<void> {
  const project: Manifest = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Project',
    metadata: { name },
    spec: { displayName: 'Benchmark' },
  };
  const account: Manifest = {
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: { name: 'sandbox', namespace: name },
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

/**
 * Waits until every one of `count` clusters was seen Ready. Gives the seconds since `startedAt` (by `performance.now`) of
 * each, in the order they became so; throws Timeout, naming what is still on its way.
 */
export async function waitUntilReady(
  api: TargetCluster,
  count: number,
  startedAt: number,
  timeoutMs = TIMEOUT_MS,
): Promise<readonly number[]> {
  const readyAfter = new Map<string, number>();
  for (;;) {
    const { items } = await api.list('lifecycle.crate.dev/v1alpha1', 'Cluster', { namespace: NAMESPACE });
    const clusters = items as readonly Cluster[];
    for (const { metadata } of clusters.filter(isReady)) {
      if (!readyAfter.has(metadata.name)) readyAfter.set(metadata.name, (performance.now() - startedAt) / 1000);
    }
    if (readyAfter.size >= count) return [...readyAfter.values()];
    if (performance.now() - startedAt > timeoutMs) throw timeout(lateText(clusters, count));
    await delay(POLL_MS);
  }
}

/** Ready, and of the spec as it is now. */
export function isReady({ metadata, status }: Cluster): boolean {
  return isConditionTrue(status?.conditions, 'Ready', metadata.generation);
}

function lateText(clusters: readonly Cluster[], count: number): string {
  const late = clusters.filter((cluster) => !isReady(cluster));
  const reasons = late.map(({ metadata, status }) => `${metadata.name}: ${status?.progress?.message ?? 'not started'}`);
  return `Only ${clusters.length - late.length} of ${count} clusters became Ready (${reasons.join('; ')})`;
}
