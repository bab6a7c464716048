import type { KubeObject, OwnerReference } from '@crate/api';
import type { Pod } from '../kinds/pod.js';
import type { PodTemplate } from '../kinds/pod-spec.js';
import type { NewObject } from '../runtime/cluster-scope.js';
import { hasCondition } from './conditions.js';

/** Still doing, or about to do, its work. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return isActive(pod) && hasCondition(pod.status?.conditions, 'Ready');
}

/** A pod of `template`, controlled by `owner`. */
export function podFrom(template: PodTemplate, owner: KubeObject, name: string): NewObject<Pod> {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: {
      name,
      namespace: owner.metadata.namespace ?? '',
      ...(labels ? { labels: { ...labels } } : {}),
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: withPodDefaults(template.spec),
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
}

/** Owner reference of the object that controls another. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** What Kubernetes' admission adds to every pod. */
export function withPodDefaults(spec: Pod['spec']): Pod['spec'] {
  const serviceAccount = spec.serviceAccountName ?? spec.serviceAccount ?? 'default';
  return {
    ...spec,
    serviceAccountName: serviceAccount,
    serviceAccount,
    enableServiceLinks: spec.enableServiceLinks ?? true,
    preemptionPolicy: spec.preemptionPolicy ?? 'PreemptLowerPriority',
    priority: spec.priority ?? 0,
  };
}

/** Sort order in which surplus pods go: those that do the least, then the youngest. */
export function leastWorthFirst(left: Pod, right: Pod): number {
  return worth(left) - worth(right) || right.metadata.creationTimestamp.localeCompare(left.metadata.creationTimestamp);
}

function worth(pod: Pod): number {
  if (pod.spec.nodeName === undefined) return 0;
  return isReady(pod) ? 2 : 1;
}

/** Replica counts that every workload's status has. */
export function countPods(pods: readonly Pod[]): { readonly all: number; readonly ready: number } {
  return { all: pods.length, ready: pods.filter(isReady).length };
}
