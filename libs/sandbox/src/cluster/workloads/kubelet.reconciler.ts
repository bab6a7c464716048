import { blockedStatus, localStatus } from '../containers/local-pod.status.js';
import type { LocalPods } from '../containers/local-pods.js';
import { CONFIG_MAP, NODE, SECRET, type Node } from '../kinds/core.js';
import { POD, type Pod } from '../kinds/pod.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey, controllerOf } from '../runtime/object-cache.js';
import { isNodeReady } from './node-fit.js';
import { freePodAddress } from './pod-address.js';
import { finishedStatus, runningStatus, unreadyStatus, waitingStatus } from './pod.status.js';
import { isFinished } from './pods.js';
import { ownKey } from './watch-owners.js';

/** A pod with this annotation waits with that reason forever, such as `ImagePullBackOff`. */
export const FAULT_ANNOTATION = 'sandbox.crate.dev/pod-fault';

/** Plays the kubelets: starts pods on their nodes, ends those of jobs, and notices nodes that stopped. */
export class KubeletReconciler implements ClusterReconciler {
  readonly name = 'kubelet';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map<string, KeysOf>([
    [collectionKey(POD), ownKey],
    [collectionKey(NODE), (change, scope) => podsWhere(scope, (pod) => pod.spec.nodeName === change.key.name)],
    [collectionKey(CONFIG_MAP), waitingForVolumes],
    [collectionKey(SECRET), waitingForVolumes],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const pod = scope.cache.find(POD, key.name, key.namespace);
    scope.pods?.keepOnly(key, pod && !isFinished(pod) ? pod.metadata.uid : undefined);
    if (!pod || pod.spec.nodeName === undefined || isFinished(pod)) return;
    const node = scope.cache.find(NODE, pod.spec.nodeName);
    if (!node || !isNodeReady(node)) return this.lose(pod, scope);
    return scope.pods?.has(pod) ? this.runHere(pod, scope.pods, scope) : this.simulate(pod, node, scope);
  }

  private async simulate(pod: Pod, node: Node, scope: ClusterScope): Promise<number | undefined> {
    return pod.status?.phase === 'Running' ? this.carryOn(pod, scope) : this.start(pod, node, scope);
  }

  /** Its containers are processes of this machine; they tell when something changed. */
  private async runHere(pod: Pod, pods: LocalPods, scope: ClusterScope): Promise<undefined> {
    const address = pod.status?.podIP ?? pods.freeAddress((one) => isTaken(one, scope));
    const addressed = await scope.update(POD, pod, {
      status: { ...pod.status, phase: pod.status?.phase ?? 'Pending', podIP: address, podIPs: [{ ip: address }] },
    });
    const obstacle = await pods.ensure(addressed, scope);
    const states = pods.observe(addressed);
    const status = states
      ? localStatus(addressed, states, scope.now())
      : obstacle && blockedStatus(addressed, obstacle);
    if (status) await scope.update(POD, addressed, { status });
  }

  private async start(pod: Pod, node: Node, scope: ClusterScope): Promise<number | undefined> {
    const obstacle = pod.metadata.annotations?.[FAULT_ANNOTATION] ?? missingVolume(pod, scope);
    if (obstacle !== undefined) {
      await scope.update(POD, pod, { status: waitingStatus(pod, obstacle) });
      return;
    }
    const remainingMs = scope.remaining(`start ${pod.metadata.uid}`, scope.latency().podStartMs);
    if (remainingMs > 0) return remainingMs;
    const address = pod.spec.hostNetwork ? (pod.status?.hostIP ?? '') : freePodAddress(node, scope);
    await scope.update(POD, pod, { status: runningStatus(pod, address, scope.now()) });
  }

  /** A container on a node that does not answer may still run; it is only not counted on. */
  private async lose(pod: Pod, scope: ClusterScope): Promise<undefined> {
    scope.pods?.keepOnly({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name }, undefined);
    if (pod.status?.phase !== 'Running') return;
    await scope.update(POD, pod, { status: unreadyStatus(pod, scope.now()) });
  }

  private async carryOn(pod: Pod, scope: ClusterScope): Promise<number | undefined> {
    if (controllerOf(pod)?.kind !== 'Job') {
      await scope.update(POD, pod, { status: runningStatus(pod, pod.status?.podIP ?? '', scope.now()) });
      return;
    }
    const remainingMs = scope.remaining(`end ${pod.metadata.uid}`, scope.latency().podStartMs);
    if (remainingMs > 0) return remainingMs;
    await scope.update(POD, pod, { status: finishedStatus(pod, scope.now()) });
  }
}

function isTaken(address: string, scope: ClusterScope): boolean {
  return scope.cache.list(POD).some(({ status }) => status?.podIP === address);
}

function missingVolume(pod: Pod, scope: ClusterScope): string | undefined {
  const { namespace } = pod.metadata;
  const isMissing = (pod.spec.volumes ?? []).some(({ configMap, secret }) => {
    const noConfigMap =
      configMap?.name && !configMap.optional && !scope.cache.find(CONFIG_MAP, configMap.name, namespace);
    const noSecret = secret?.secretName && !secret.optional && !scope.cache.find(SECRET, secret.secretName, namespace);
    return Boolean(noConfigMap) || Boolean(noSecret);
  });
  return isMissing ? 'ContainerCreating' : undefined;
}

const waitingForVolumes: KeysOf = ({ key }, scope) =>
  podsWhere(scope, (pod) => pod.metadata.namespace === key.namespace && pod.status?.phase === 'Pending');

function podsWhere(scope: ClusterScope, isMeant: (pod: Pod) => boolean): readonly ClusterKey[] {
  return scope.cache
    .list(POD)
    .filter(isMeant)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));
}
