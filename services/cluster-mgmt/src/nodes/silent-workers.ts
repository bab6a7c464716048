import type { KubernetesClusterScope } from '../kubernetes-cluster/kubernetes-cluster.scope.js';
import type { SharedClock } from '../shared-clock.js';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { isAnswer } from './attempt.js';
import { listNodes } from './list-nodes.js';
import { SILENCE_MS, lostForMs } from './node-silence.js';

const ANSWER_WITHIN_MS = 10_000;

export interface SilentWorkersParts {
  readonly connections: Pick<ClusterConnections, 'find'>;
  readonly sharedClock: SharedClock;
}

/** Knows the workers of a cluster that the engine is not going to reach. */
export class SilentWorkers {
  constructor(private readonly parts: SilentWorkersParts) {}

  /**
   * Addresses of those whose nodes are silent or without Docker, and of those that are no nodes. None where the cluster cannot be asked.
   * Where nodes are drained the latter are left out: the engine may well reach such a machine, and would take one node more with its pods
   * away at a time.
   * An answer, be it a refusal, ends the silence that the scope knows of.
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
      const isLost = (name: string): boolean => {
        const node = nodes.find((each) => each.metadata.name === name);
        return node ? lostForMs(node, now) >= SILENCE_MS : !drains;
      };
      return workers.filter(({ name }) => isLost(name)).map(({ address }) => address);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnswer(error)) scope.silentSince = undefined;
      return [];
    }
  }
}
