import type { KubernetesCluster } from '@crate/api';
import type { SharedClock } from '../shared-clock.js';
import type { ClusterConnections } from '../target/cluster-connections.js';
import { listNodes } from './list-nodes.js';
import { SILENCE_MS, silentForMs } from './node-silence.js';

const ANSWER_WITHIN_MS = 10_000;

export interface SilentWorkersParts {
  readonly connections: Pick<ClusterConnections, 'find'>;
  readonly sharedClock: SharedClock;
}

/** Counts the workers of a cluster that nobody hears from. */
export class SilentWorkers {
  constructor(private readonly parts: SilentWorkersParts) {}

  /** None where the cluster cannot be asked. */
  async count({ metadata, spec }: KubernetesCluster, signal: AbortSignal): Promise<number> {
    const target = await this.parts.connections.find(metadata.uid);
    if (!target) return 0;
    const workers = spec.nodes.filter(({ role }) => role === 'worker').map(({ name }) => name);
    const now = (await this.parts.sharedClock())();
    try {
      const nodes = await listNodes(target, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]));
      const known = nodes.filter(({ metadata: { name } }) => workers.includes(name));
      return known.filter((node) => silentForMs(node, now) >= SILENCE_MS).length;
    } catch (error) {
      if (signal.aborted) throw error;
      return 0;
    }
  }
}
