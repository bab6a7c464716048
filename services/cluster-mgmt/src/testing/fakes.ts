import type { InMemoryTargetCluster, TargetCluster } from '@crate/kubernetes';
import type { InMemorySecretStore } from '@crate/secrets';
import { ClusterEngine, type EngineState, type EngineTask } from '../engine/cluster-engine.js';
import { hashEngineTask, type EngineConfig } from '../engine/engine-config.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { ROLE_TAINTS } from '../nodes/role-taints.js';
import { ClusterConnections } from '../target/cluster-connections.js';

interface Applied {
  readonly hash: string;
  readonly generation: number | undefined;
  readonly config: EngineConfig | undefined;
}

/** An engine that brings nodes up in a cluster in memory. */
export class FakeEngine extends ClusterEngine {
  /** Calls with an effect, in order. */
  readonly calls: string[] = [];
  /** Thrown by the next runs while set. */
  failure: Error | undefined;
  /** What the stored state is refused with while set. */
  damage: Error | undefined;
  /** Awaited in the middle of a run. */
  duringRun: ((task: EngineTask) => Promise<void>) | undefined;
  private readonly applied = new Map<string, Applied>();
  private nodes: readonly string[] = [];
  private readonly betweenVersions = new Set<string>();
  private readonly started = new Set<string>();
  private readonly removed = new Set<string>();
  private serial = 0;

  constructor(
    private readonly secrets: InMemorySecretStore,
    private readonly target: InMemoryTargetCluster,
  ) {
    super();
  }

  override async observe(clusterUid: string): Promise<EngineState> {
    const kubeconfigs = await this.secrets.versions(clusterUid, SECRET_KINDS.kubeconfig);
    const applied = this.applied.get(clusterUid);
    return {
      appliedHash: applied?.hash,
      appliedGeneration: applied?.generation,
      stateSerial: this.started.has(clusterUid) && this.serial > 0 ? this.serial : undefined,
      wasStarted: this.started.has(clusterUid),
      hasReachedMachines: kubeconfigs.length > 0,
      isRemoved: this.removed.has(clusterUid),
      isRemoving: this.calls.includes('remove'),
      isBetweenVersions: this.betweenVersions.has(clusterUid),
    };
  }

  override appliedConfig(clusterUid: string): Promise<EngineConfig | undefined> {
    return Promise.resolve(this.applied.get(clusterUid)?.config);
  }

  override verifyState(): Promise<void> {
    return this.damage ? Promise.reject(this.damage) : Promise.resolve();
  }

  override members(): Promise<readonly string[]> {
    return Promise.resolve(this.nodes);
  }

  override settleEarlierRuns(): Promise<void> {
    this.calls.push('settle');
    return Promise.resolve();
  }

  override async up(task: EngineTask): Promise<void> {
    this.calls.push('up');
    this.started.add(task.clusterUid);
    this.applied.delete(task.clusterUid);
    if (task.drains) this.betweenVersions.add(task.clusterUid);
    task.onProgress({ step: 3, steps: 13, message: 'Starting etcd' });
    await this.duringRun?.(task);
    if (this.failure) throw this.failure;
    const nodes = task.config['nodes'] as { hostname_override: string; role: string[] }[];
    const names = nodes.map((node) => node.hostname_override);
    for (const name of this.nodes) {
      if (!names.includes(name)) await this.target.remove({ apiVersion: 'v1', kind: 'Node', name });
    }
    for (const node of nodes) {
      this.target.setNode(node.hostname_override, { ready: true, controlPlane: node.role.includes('controlplane') });
      if (node.role.includes('worker')) continue;
      const ref = { apiVersion: 'v1', kind: 'Node', name: node.hostname_override };
      this.target.interfere(ref, (made) => ({ ...made, spec: { taints: ROLE_TAINTS } }));
    }
    this.nodes = names;
    await this.secrets.put(task.clusterUid, SECRET_KINDS.kubeconfig, Buffer.from('kubeconfig'), {
      epoch: task.epoch,
    });
    this.serial += 1;
    this.betweenVersions.delete(task.clusterUid);
    this.applied.set(task.clusterUid, { hash: hashEngineTask(task), generation: task.generation, config: task.config });
  }

  override remove(task: EngineTask): Promise<void> {
    this.calls.push('remove');
    task.onProgress({ step: 1, steps: 6, message: 'Stopping workers' });
    if (this.failure) return Promise.reject(this.failure);
    this.removed.add(task.clusterUid);
    return Promise.resolve();
  }

  /** As if somebody had deleted the versions of the state. */
  setBack(): void {
    this.serial = 0;
  }

  /** As if what was applied had been written by another release, which kept it or not. */
  applyAsOtherRelease(config?: EngineConfig): void {
    for (const [clusterUid, applied] of this.applied)
      this.applied.set(clusterUid, { ...applied, hash: 'of another release', config });
  }

  /** As if a person had put another state in place. */
  edit(): void {
    this.applied.clear();
  }

  override forget(clusterUid: string): Promise<void> {
    for (const known of [this.applied, this.started, this.removed]) known.delete(clusterUid);
    return Promise.resolve();
  }
}

/** Connects every cluster that has a kubeconfig to the same cluster in memory. */
export class FakeConnections extends ClusterConnections {
  readonly dropped: string[] = [];

  constructor(
    private readonly secrets: InMemorySecretStore,
    private readonly target: InMemoryTargetCluster,
  ) {
    super();
  }

  override async find(clusterUid: string): Promise<TargetCluster | undefined> {
    return (await this.secrets.find(clusterUid, SECRET_KINDS.kubeconfig)) && this.target;
  }

  override drop(clusterUid: string): Promise<void> {
    this.dropped.push(clusterUid);
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}
