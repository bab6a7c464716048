import type { KubernetesCluster } from '@crate/api';
import { checkHealth, type TargetCluster } from '@crate/kubernetes';
import type { RecoveryHold } from '@crate/service-host';
import type { ClusterConnections } from '../target/cluster-connections.js';

const ANSWER_WITHIN_MS = 10_000;
const STATE_AGAIN =
  'State again what was asked for since the backup, or have an operator run "crate recovery confirm": then it is taken away';

/**
 * While the database is older than the world, looks at a cluster before the engine is let at it: an engine makes machines what it is
 * told, and removes nodes that it is not told of.
 */
export class LossGuard {
  constructor(
    private readonly connections: Pick<ClusterConnections, 'find'>,
    private readonly recovery: Pick<RecoveryHold, 'isClosed' | 'isNewer' | 'check'>,
  ) {}

  /** Throws Forbidden (`Recovering`) when the engine would remove nodes or go back to an older version, or nobody can tell. */
  async check(cluster: KubernetesCluster, signal: AbortSignal): Promise<void> {
    if (!(await this.recovery.isClosed())) return;
    const target = await this.connections.find(cluster.metadata.uid);
    if (!target) return this.checkUnknown(cluster);
    const loss = await lossOf(target, cluster.spec, signal);
    if (loss !== undefined) await this.recovery.check(loss, STATE_AGAIN);
  }

  /**
   * Without a way in there was no cluster yet at the point that was restored, and may be one now: an engine that has no state of it would
   * give it another authority and another key for its Secrets.
   */
  private async checkUnknown(cluster: KubernetesCluster): Promise<void> {
    if (await this.recovery.isNewer(cluster)) return;
    const { name, namespace } = cluster.metadata;
    const bringBack = `bring its keys back with "crate recovery take-back ${name} -n ${namespace} --from URL"`;
    await this.recovery.check(
      'Nobody can tell whether its machines became a cluster since the backup',
      `If they did, ${bringBack}; after "crate recovery confirm" it is made anew on them`,
    );
  }
}

async function lossOf(
  target: TargetCluster,
  { nodes, version: wanted }: KubernetesCluster['spec'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const health = await checkHealth(target, ANSWER_WITHIN_MS, signal);
  if (!health.healthy) return 'The API server does not answer, so that nobody can tell which nodes would be removed';
  const names = new Set(nodes.map(({ name }) => name));
  const leaving = (await target.nodes(signal)).map(({ name }) => name).filter((name) => !names.has(name));
  if (leaving.length > 0) return `Nodes would be removed: ${leaving.sort().join(', ')}`;
  if (wanted !== undefined && isOlder(wanted, health.version))
    return `Kubernetes would go back from ${health.version} to ${wanted}`;
  return undefined;
}

/** By the numbers alone: what a distribution appends says nothing about the order. */
function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)];
  const differing = left.findIndex((number, index) => number !== right[index]);
  return differing >= 0 && (left[differing] ?? 0) < (right[differing] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  return (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}
