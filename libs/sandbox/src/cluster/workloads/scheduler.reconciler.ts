import { matchesSelector } from '../label-selector.js';
import { EVENT, NODE, type Node } from '../kinds/core.js';
import { POD, type Pod } from '../kinds/pod.js';
import { PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { setConditions } from './conditions.js';
import { isNodeReady, selectsNode, untoleratedTaint } from './node-fit.js';
import { isActive, isFinished } from './pods.js';
import { parseQuantity, podRequests, qosClass } from './quantities.js';

interface NodeLoad {
  pods: number;
  cpu: number;
  memory: number;
}

/** Gives each pod a node that it fits on, the emptiest first. */
export class SchedulerReconciler implements ClusterReconciler {
  readonly name = 'scheduler';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(POD), (change, scope) => wokenByPod(change.before as Pod, change.after as Pod, scope)],
    [collectionKey(NODE), (_change, scope) => unscheduled(scope)],
    [collectionKey(PERSISTENT_VOLUME_CLAIM), (_change, scope) => unscheduled(scope)],
  ]);

  reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    return scope.serially(this.name, () => this.schedule(key, scope));
  }

  private async schedule(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const pod = scope.cache.find(POD, key.name, key.namespace);
    if (!pod || pod.spec.nodeName !== undefined || !isActive(pod)) return;
    const nodes = scope.cache.list(NODE);
    const refusals = new Map<string, number>();
    const loads = loadsOf(scope.cache.list(POD));
    const fitting = nodes.filter((node) => {
      const refusal = refusalOf(pod, node, loads.get(node.metadata.name), scope);
      if (refusal !== undefined) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      return refusal === undefined;
    });
    const node = fitting.sort((a, b) => podCount(loads, a) - podCount(loads, b))[0];
    if (!node) return this.refuse(pod, nodes.length, refusals, scope);
    await scope.update(POD, pod, assignment(pod, node, scope.now()));
  }

  private async refuse(
    pod: Pod,
    nodes: number,
    refusals: Map<string, number>,
    scope: ClusterScope,
  ): Promise<undefined> {
    const reasons = [...refusals].map(([reason, count]) => `${count} ${reason}`).sort();
    const message = `0/${nodes} nodes are available${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}.`;
    const fact = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const conditions = setConditions(pod.status?.conditions, [fact], scope.now());
    await scope.update(POD, pod, { status: { ...pod.status, phase: 'Pending', conditions } });
    await scope.ensure(EVENT, {
      metadata: { name: `${pod.metadata.name}.unschedulable`, namespace: pod.metadata.namespace ?? '' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, ...namespaceAndUid(pod) },
      reason: 'FailedScheduling',
      message,
      type: 'Warning',
      source: { component: 'default-scheduler' },
      count: 1,
      firstTimestamp: scope.now(),
      lastTimestamp: scope.now(),
    });
  }
}

/** The part of a pod that changes when it gets a node. */
export function assignment(pod: Pick<Pod, 'spec' | 'status'>, node: Node, now: string): Pick<Pod, 'spec' | 'status'> {
  const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const scheduled = { type: 'PodScheduled', status: 'True' };
  return {
    spec: { ...pod.spec, nodeName: node.metadata.name },
    status: {
      ...pod.status,
      phase: 'Pending',
      qosClass: qosClass(pod.spec),
      startTime: now,
      ...(hostIP === undefined ? {} : { hostIP }),
      conditions: setConditions(pod.status?.conditions, [scheduled], now),
      containerStatuses: pod.spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: '',
        ready: false,
        started: false,
        restartCount: 0,
        state: { waiting: { reason: 'ContainerCreating' } },
      })),
    },
  };
}

function wokenByPod(before: Pod | undefined, after: Pod | undefined, scope: ClusterScope): readonly ClusterKey[] {
  const freedRoom = before?.spec.nodeName !== undefined && (!after || isFinished(after));
  if (freedRoom) return unscheduled(scope);
  return after && after.spec.nodeName === undefined ? [placeOf(after)] : [];
}

function unscheduled(scope: ClusterScope): readonly ClusterKey[] {
  return scope.cache
    .list(POD)
    .filter((pod) => pod.spec.nodeName === undefined && isActive(pod))
    .map(placeOf);
}

function placeOf(pod: Pod): ClusterKey {
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
}

function refusalOf(pod: Pod, node: Node, load: NodeLoad | undefined, scope: ClusterScope): string | undefined {
  if (!isNodeReady(node)) return 'node(s) were not ready';
  if (node.spec.unschedulable) return 'node(s) were unschedulable';
  if (!selectsNode(pod.spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = untoleratedTaint(pod.spec, node);
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (isMissingVolume(pod, scope)) return 'pod has unbound immediate PersistentVolumeClaims';
  if (isRepelled(pod, node, scope)) return "node(s) didn't match pod anti-affinity rules";
  return shortageOf(pod, node, load ?? { pods: 0, cpu: 0, memory: 0 });
}

function shortageOf(pod: Pod, node: Node, load: NodeLoad): string | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const { cpu, memory } = podRequests(pod.spec);
  if (load.pods + 1 > parseQuantity(allocatable['pods'])) return 'Too many pods';
  if (load.cpu + cpu > parseQuantity(allocatable['cpu'])) return 'Insufficient cpu';
  return load.memory + memory > parseQuantity(allocatable['memory']) ? 'Insufficient memory' : undefined;
}

function isMissingVolume(pod: Pod, scope: ClusterScope): boolean {
  return (pod.spec.volumes ?? []).some(({ persistentVolumeClaim: source }) => {
    if (!source) return false;
    const claim = scope.cache.find(PERSISTENT_VOLUME_CLAIM, source.claimName, pod.metadata.namespace);
    return claim?.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp !== undefined;
  });
}

/** Required anti-affinity between pods on one node; other topologies are not simulated. */
function isRepelled(pod: Pod, node: Node, scope: ClusterScope): boolean {
  const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const byHost = terms.filter(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname');
  if (byHost.length === 0) return false;
  const neighbours = scope.cache
    .list(POD, pod.metadata.namespace)
    .filter((other) => other.spec.nodeName === node.metadata.name && isActive(other));
  return byHost.some(({ labelSelector }) =>
    neighbours.some((other) => matchesSelector(labelSelector, other.metadata.labels)),
  );
}

function loadsOf(pods: readonly Pod[]): Map<string, NodeLoad> {
  const loads = new Map<string, NodeLoad>();
  for (const pod of pods) {
    if (pod.spec.nodeName === undefined || isFinished(pod)) continue;
    const load = loads.get(pod.spec.nodeName) ?? { pods: 0, cpu: 0, memory: 0 };
    const { cpu, memory } = podRequests(pod.spec);
    load.pods += 1;
    load.cpu += cpu;
    load.memory += memory;
    loads.set(pod.spec.nodeName, load);
  }
  return loads;
}

function podCount(loads: ReadonlyMap<string, NodeLoad>, node: Node): number {
  return loads.get(node.metadata.name)?.pods ?? 0;
}

function namespaceAndUid(pod: Pod): { readonly namespace: string; readonly uid: string } {
  return { namespace: pod.metadata.namespace ?? '', uid: pod.metadata.uid };
}
