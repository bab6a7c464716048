import { NODE, type Node } from '../kinds/core.js';
import { POD, type Pod } from '../kinds/pod.js';
import { DAEMON_SET, type DaemonSet } from '../kinds/workloads.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { withoutZeros } from './conditions.js';
import { resolveCount } from './deployment-rollout.js';
import { selectsNode, tolerates, untoleratedTaint } from './node-fit.js';
import { isActive, isReady, podFrom } from './pods.js';
import { assignment } from './scheduler.reconciler.js';
import { randomSuffix, templateHash } from './template-hash.js';
import { watchOwned } from './watch-owners.js';

const HASH_LABEL = 'controller-revision-hash';

/** Taints every daemon tolerates. Source: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations */
const TOLERATIONS = [
  ...['not-ready', 'unreachable'].map((key) => ({ key, effect: 'NoExecute' as const })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
    key,
    effect: 'NoSchedule' as const,
  })),
].map(({ key, effect }) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists' as const, effect }));

const wakesAll: KeysOf = (_change, scope) =>
  scope.cache.list(DAEMON_SET).map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));

/** Keeps one pod of a DaemonSet on every node that takes it. */
export class DaemonSetReconciler implements ClusterReconciler {
  readonly name = 'daemonset';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    ...watchOwned(DAEMON_SET, POD),
    [collectionKey(NODE), wakesAll],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const set = scope.cache.find(DAEMON_SET, key.name, key.namespace);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    const hash = templateHash(set.spec.template);
    const nodes = scope.cache.list(NODE).filter((node) => takes(set, node));
    await this.place(set, hash, nodes, scope);
    await this.roll(set, hash, nodes.length, scope);
    await this.saveStatus(set, hash, nodes, scope);
  }

  private async place(set: DaemonSet, hash: string, nodes: readonly Node[], scope: ClusterScope): Promise<void> {
    const pods = scope.cache.ownedBy(POD, set.metadata.uid);
    const names = new Set(nodes.map((node) => node.metadata.name));
    const covered = new Set<string>();
    const surplus = pods.filter((pod) => {
      const node = pod.spec.nodeName ?? '';
      const isWanted = isActive(pod) && names.has(node) && !covered.has(node);
      if (isWanted) covered.add(node);
      return !isWanted;
    });
    const uncovered = nodes.filter((node) => !covered.has(node.metadata.name));
    await Promise.all([
      ...surplus.map((pod) => scope.remove(POD, pod)),
      ...uncovered.map((node) => scope.create(POD, daemonPod(set, hash, node, scope.now()))),
    ]);
  }

  /** Replaces pods of an old template, no more at a time than may be unavailable. */
  private async roll(set: DaemonSet, hash: string, nodes: number, scope: ClusterScope): Promise<void> {
    if (set.spec.updateStrategy.type === 'OnDelete') return;
    const pods = scope.cache.ownedBy(POD, set.metadata.uid).filter(isActive);
    const outdated = pods.filter((pod) => pod.metadata.labels?.[HASH_LABEL] !== hash);
    const maxUnavailable = resolveCount(set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1, nodes, Math.ceil);
    const unavailable = pods.filter((pod) => !isReady(pod)).length;
    const next = [...outdated].sort((a, b) => Number(isReady(a)) - Number(isReady(b)));
    const budget = Math.max(0, maxUnavailable - unavailable) + outdated.filter((pod) => !isReady(pod)).length;
    await Promise.all(next.slice(0, budget).map((pod) => scope.remove(POD, pod)));
  }

  private async saveStatus(set: DaemonSet, hash: string, nodes: readonly Node[], scope: ClusterScope): Promise<void> {
    const pods = scope.cache.ownedBy(POD, set.metadata.uid).filter(isActive);
    const ready = pods.filter(isReady).length;
    const updated = pods.filter((pod) => pod.metadata.labels?.[HASH_LABEL] === hash).length;
    const status = {
      observedGeneration: set.metadata.generation,
      currentNumberScheduled: pods.length,
      desiredNumberScheduled: nodes.length,
      numberMisscheduled: 0,
      numberReady: ready,
      ...withoutZeros({
        numberAvailable: ready,
        numberUnavailable: nodes.length - ready,
        updatedNumberScheduled: updated,
      }),
    };
    await scope.update(DAEMON_SET, set, { status });
  }
}

function takes({ spec }: DaemonSet, node: Node): boolean {
  const podSpec = spec.template.spec;
  if (!selectsNode(podSpec, node)) return false;
  const taint = untoleratedTaint({ ...podSpec, tolerations: [...(podSpec.tolerations ?? []), ...TOLERATIONS] }, node);
  return taint === undefined || TOLERATIONS.some((toleration) => tolerates(toleration, taint));
}

function daemonPod(set: DaemonSet, hash: string, node: Node, now: string): NewObject<Pod> {
  const pod = podFrom(set.spec.template, set, `${set.metadata.name}-${randomSuffix()}`);
  const spec = { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), ...TOLERATIONS] };
  const metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, [HASH_LABEL]: hash } };
  return { ...pod, metadata, ...assignment({ ...pod, spec }, node, now) };
}
