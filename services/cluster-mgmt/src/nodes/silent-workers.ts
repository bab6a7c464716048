import type { KubernetesClusterScope } from '../kubernetes-cluster/kubernetes-cluster.scope.js';
import type { SharedClock } from '../shared-clock.js';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { listNodes } from './list-nodes.js';
import { SILENCE_MS, silentForMs } from './node-silence.js';

const ANSWER_WITHIN_MS = 10_000;

export interface SilentWorkersParts {
  readonly connections: Pick<ClusterConnections, 'find'>;
  readonly sharedClock: SharedClock;
}

/** Knows the workers of a cluster that nobody hears from. */
export class SilentWorkers {
  constructor(private readonly parts: SilentWorkersParts) {}

  /**
   * Addresses of those whose nodes are silent, and of those that are no nodes. None where the cluster cannot be asked. Where nodes are drained
   * the latter are left out: the engine may well reach such a machine, and would take one node more with its pods away at a time.
   * An answer ends the silence that the scope knows of.
   */
  async list(scope: KubernetesClusterScope, drains: boolean, signal: AbortSignal): Promise<readonly string[]> {
    const { metadata, spec } = scope.cluster;
    const target = await this.parts.connections.find(metadata.uid);
    if (!target) return [];
    const workers = spec.nodes.filter(({ role }) => role === 'worker');
    const now = (await this.parts.sharedClock())();
    try {
      const nodes = await listNodes(target, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]));
      scope.silentSince = undefined;
      const isSilent = (name: string): boolean => {
        const node = nodes.find((each) => each.metadata.name === name);
        return node ? silentForMs(node, now) >= SILENCE_MS : !drains;
      };
      return workers.filter(({ name }) => isSilent(name)).map(({ address }) => address);
    } catch (error) {
      if (signal.aborted) throw error;
      return [];
    }
  }
}
