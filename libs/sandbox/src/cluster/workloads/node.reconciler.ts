import { NODE, type Node } from '../kinds/core.js';
import { POD, type Pod } from '../kinds/pod.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey, controllerOf } from '../runtime/object-cache.js';
import { setConditions, type CoreCondition } from './conditions.js';
import { ownKey } from './watch-owners.js';

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** Makes nodes as ready as their machines are, and takes pods off nodes that stay away or are gone. */
export class NodeReconciler implements ClusterReconciler {
  readonly name = 'node';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map<string, KeysOf>([
    [collectionKey(NODE), ownKey],
    [collectionKey(POD), ({ before, after }, scope) => nodesToLookAt(before as Pod, after as Pod, scope)],
  ]);

  async reconcile({ name }: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const node = scope.cache.find(NODE, name);
    if (!node) return this.evict(name, () => true, scope);
    const isUp = scope.machineOf(name)?.isRunning ?? false;
    await this.saveStatus(node, isUp, scope);
    if (isUp) {
      scope.forget(`evict ${node.metadata.uid}`);
      return;
    }
    if (podsOn(name, scope).every(isDaemon)) return;
    const remainingMs = scope.remaining(`evict ${node.metadata.uid}`, scope.latency().podEvictionMs);
    if (remainingMs > 0) return remainingMs;
    return this.evict(name, (pod) => !isDaemon(pod), scope);
  }

  private async saveStatus(node: Node, isUp: boolean, scope: ClusterScope): Promise<void> {
    const facts = isUp ? readyFacts() : unknownFacts();
    const conditions = setConditions(node.status?.conditions, facts, scope.now());
    const taints = (node.spec.taints ?? []).filter(({ key }) => key !== UNREACHABLE);
    if (!isUp) {
      const timeAdded = node.spec.taints?.find(({ key }) => key === UNREACHABLE)?.timeAdded ?? scope.now();
      for (const effect of ['NoSchedule', 'NoExecute'] as const) taints.push({ key: UNREACHABLE, effect, timeAdded });
    }
    const { taints: _before, ...rest } = node.spec;
    const spec = taints.length > 0 ? { ...rest, taints } : rest;
    await scope.update(NODE, node, { spec, status: { ...node.status, conditions } });
  }

  private async evict(name: string, isMeant: (pod: Pod) => boolean, scope: ClusterScope): Promise<undefined> {
    const pods = podsOn(name, scope).filter(isMeant);
    await Promise.all(pods.map((pod) => scope.remove(POD, pod)));
  }
}

/** A pod put on a node that is gone or away must come off it again. */
function nodesToLookAt(before: Pod | undefined, after: Pod | undefined, scope: ClusterScope): readonly ClusterKey[] {
  const name = after?.spec.nodeName;
  if (name === undefined || before?.spec.nodeName === name) return [];
  const isUp = scope.cache.find(NODE, name) && scope.machineOf(name)?.isRunning;
  return isUp ? [] : [{ namespace: '', name }];
}

function podsOn(name: string, scope: ClusterScope): readonly Pod[] {
  return scope.cache.list(POD).filter((pod) => pod.spec.nodeName === name);
}

function isDaemon(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'DaemonSet';
}

function readyFacts(): readonly CoreCondition[] {
  const fact = (type: string, status: string, reason: string, message: string): CoreCondition => ({
    type,
    status,
    reason,
    message,
  });
  return [
    fact('NetworkUnavailable', 'False', 'FlannelIsUp', 'Flannel is running on this node'),
    fact('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    fact('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    fact('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    fact('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

function unknownFacts(): readonly CoreCondition[] {
  return ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  }));
}
