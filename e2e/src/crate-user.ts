import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isConditionTrue, type Cluster, type Manifest } from '@crate/api';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { eventually, type CratePlatform } from '@crate/testing';
import { parseAllDocuments } from 'yaml';

const QUICKSTART = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));
const CLUSTERS = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', namespace: 'team-a' } as const;
const READY_TIMEOUT_MS = 180_000;

/** Turns the quickstart's cluster into the smallest that has all parts: one control-plane machine, and one worker. */
export function small(spec: Record<string, unknown>): void {
  spec['controlPlane'] = { replicas: 1, machineType: 'm5.large' };
  spec['nodePools'] = [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }];
}

/** Someone who works with a platform over its public API only. */
export class CrateUser {
  private constructor(
    readonly platform: CratePlatform,
    readonly api: TargetCluster,
  ) {}

  static async of(platform: CratePlatform): Promise<CrateUser> {
    return new CrateUser(platform, new HttpTargetCluster(await platform.kubeconfig()));
  }

  /** Project, account and cluster of the quickstart; `change` may edit the cluster's spec. */
  async applyQuickstart(
    name = 'demo',
    change: (spec: Record<string, unknown>) => void = () => undefined,
  ): Promise<void> {
    for (const document of await quickstart(name, change)) await this.apply(document);
  }

  /** The quickstart's cluster alone, in a Project and account that are there. */
  async applyDemo(name = 'demo', change: (spec: Record<string, unknown>) => void = () => undefined): Promise<void> {
    for (const document of await quickstart(name, change)) if (document.kind === 'Cluster') await this.apply(document);
  }

  /** The quickstart's cloud account, in a Project that is there. */
  async applyAccount(): Promise<void> {
    for (const document of await quickstart('demo')) if (document.kind === 'CloudAccount') await this.apply(document);
  }

  async apply(document: Manifest): Promise<void> {
    await this.api.applyObject(document, { fieldManager: 'e2e', force: true });
  }

  async pause(name: string, paused: boolean): Promise<void> {
    const { apiVersion, kind, namespace } = CLUSTERS;
    await this.apply({ apiVersion, kind, metadata: { name, namespace }, spec: { paused } });
  }

  async find(name = 'demo'): Promise<Cluster | undefined> {
    return (await this.api.find({ ...CLUSTERS, name })) as Cluster | undefined;
  }

  async delete(name = 'demo'): Promise<void> {
    await this.api.remove({ ...CLUSTERS, name });
  }

  /** The cluster once it is Ready at its newest spec. */
  async untilReady(name = 'demo'): Promise<Cluster> {
    return this.until(name, (cluster) => isReady(cluster));
  }

  /** The cluster once `holds`; on timeout the error shows what it looked like. */
  async until(name: string, holds: (cluster: Cluster) => boolean): Promise<Cluster> {
    return eventually(
      async () => {
        const cluster = await this.find(name);
        if (cluster && holds(cluster)) return cluster;
        throw new Error(`Not yet: ${JSON.stringify(cluster?.status, undefined, 2)}`);
      },
      { timeoutMs: READY_TIMEOUT_MS },
    );
  }

  async untilGone(name = 'demo'): Promise<void> {
    await eventually(
      async () => {
        const cluster = await this.find(name);
        if (cluster) throw new Error(`Still there: ${JSON.stringify(cluster.status, undefined, 2)}`);
      },
      { timeoutMs: READY_TIMEOUT_MS },
    );
  }
}

async function quickstart(
  name: string,
  change: (spec: Record<string, unknown>) => void = () => undefined,
): Promise<readonly Manifest[]> {
  return parseAllDocuments(await readFile(QUICKSTART, 'utf8')).map((parsed) => {
    const document = parsed.toJS() as Manifest & { spec: Record<string, unknown> };
    if (document.kind === 'Cluster') {
      document.metadata.name = name;
      change(document.spec);
    }
    return document;
  });
}

export function isReady(cluster: Cluster): boolean {
  return isConditionTrue(cluster.status?.conditions, 'Ready', cluster.metadata.generation);
}
