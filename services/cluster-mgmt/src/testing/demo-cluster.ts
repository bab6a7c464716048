import { expect } from '@jest/globals';
import {
  isConditionTrue,
  type AddOnInstallation,
  type KubeObject,
  type KubernetesCluster,
  type PolicyReviewResponse,
} from '@crate/api';
import { HttpTargetCluster } from '@crate/kubernetes';
import type { ServiceHost } from '@crate/service-host';
import { eventually } from '@crate/testing';
import { aNode, machineSpec } from './builders.js';
import { TestPlatform } from './test-platform.js';

export const MANAGER = 'test';
export const NAMESPACE = 'team-a';
export const PATIENCE = { timeoutMs: 60_000 };
export const FIRST = ['demo-control-plane-0', 'demo-workers-0', 'demo-workers-1'];
export const MORE = [...FIRST, 'demo-workers-2'];
export const CONTEXT = { caller: { user: 'test', groups: [] }, traceId: '0'.repeat(32) };

/** What policy says of whatever it is asked about, to deny it. */
export const DENIED: PolicyReviewResponse = {
  allowed: false,
  violations: [
    {
      policy: 'rke-audit-log',
      level: 'must',
      severity: 'high',
      effect: 'deny',
      title: 'The API server writes an audit log',
      field: 'spec.kubernetes.engine',
      message: 'Nobody will know',
      remedy: 'Enable it',
      references: [],
    },
  ],
};

/** cluster-mgmt with one cluster, `demo`, of simulated machines: what specs do to it and ask of it. */
export class DemoCluster {
  private constructor(
    readonly platform: TestPlatform,
    private current: ServiceHost,
  ) {}

  static async start(): Promise<DemoCluster> {
    const platform = await TestPlatform.start();
    return new DemoCluster(platform, await platform.startService());
  }

  stop(): Promise<void> {
    return this.platform.stop();
  }

  /** The replica that runs now. */
  get service(): ServiceHost {
    return this.current;
  }

  /** Another replica takes over. */
  async replaceService(): Promise<void> {
    await this.platform.stopService(this.current);
    this.current = await this.platform.startService();
  }

  specFor(names: readonly string[]): KubernetesCluster['spec'] {
    return { ...machineSpec(names), apiEndpoint: { host: '127.0.0.1', port: this.platform.apiPort } };
  }

  async ensure(spec: KubernetesCluster['spec']): Promise<KubernetesCluster> {
    const metadata = { name: 'demo', namespace: NAMESPACE };
    return this.platform.clusters(this.service).ensure({ metadata, spec }, MANAGER);
  }

  async find(): Promise<KubernetesCluster> {
    const found = await this.platform.clusters(this.service).find('demo', NAMESPACE);
    if (!found) throw new Error('The cluster is gone');
    return found;
  }

  /** Brings machines up with the cluster's key and tells the cluster about them. */
  async giveMachines(names: readonly string[], alsoRunning: readonly string[] = []): Promise<void> {
    const key = await eventually(async () => {
      const { status } = await this.find();
      expect(status?.sshPublicKey).toBeDefined();
      return status?.sshPublicKey ?? '';
    }, PATIENCE);
    const all = [...new Set([...names, ...alsoRunning])];
    this.platform.machines.set(
      all.map((name) => aNode(name, MORE.indexOf(name)).address),
      key,
    );
    await this.ensure({ ...this.specFor(names), nodes: names.map((name) => aNode(name, MORE.indexOf(name))) });
  }

  async untilReady(): Promise<KubernetesCluster> {
    return eventually(async () => {
      const found = await this.find();
      expect(found.status?.failure).toBeUndefined();
      expect(isReadyNow(found)).toBe(true);
      return found;
    }, PATIENCE);
  }

  /** As people get it, to be its administrator. */
  async kubeconfig(): Promise<string> {
    const ref = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'kubernetesclusters' };
    const place = { ...ref, namespace: NAMESPACE, name: 'demo' };
    return (await this.service.foundation.api.readSubresource(place, 'kubeconfig', CONTEXT)) as string;
  }

  /** What the cluster itself says. */
  async inside<T>(look: (cluster: HttpTargetCluster) => Promise<T>): Promise<T> {
    const cluster = new HttpTargetCluster(await this.kubeconfig());
    try {
      return await look(cluster);
    } finally {
      await cluster.close();
    }
  }

  async installation(name: string): Promise<AddOnInstallation | undefined> {
    return this.platform.installations(this.service).find(name, NAMESPACE);
  }

  /** Has an object looked at again. */
  async enqueue(reconciler: string, name: string): Promise<void> {
    await this.service.foundation.queue.enqueue(reconciler, [{ namespace: NAMESPACE, name }]);
  }

  /** As `enqueue`, until nothing is left to do. */
  async pass(reconciler = 'kubernetes-cluster', name = 'demo'): Promise<void> {
    await this.enqueue(reconciler, name);
    const { queue } = this.service.foundation;
    await eventually(async () => expect(await queue.depth(reconciler)).toEqual({ due: 0, leased: 0 }), PATIENCE);
  }

  /** Rows of what SQL names. */
  async count(sql: string): Promise<number> {
    const { database } = this.service.foundation;
    return (await database.firstRow<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`))?.n ?? -1;
  }
}

export function isReadyNow(object: KubeObject): boolean {
  const { conditions } = (object['status'] ?? {}) as NonNullable<KubernetesCluster['status']>;
  return isConditionTrue(conditions, 'Ready', object.metadata.generation);
}
