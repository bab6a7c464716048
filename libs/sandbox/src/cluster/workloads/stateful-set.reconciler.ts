import { POD, type Pod } from '../kinds/pod.js';
import { PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import { STATEFUL_SET, type StatefulSet } from '../kinds/workloads.js';
import type { ClusterKey, ClusterReconciler } from '../runtime/cluster-loop.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { withoutZeros } from './conditions.js';
import { ensureRevision, removeOldRevisions, templateOf } from './controller-revisions.js';
import { isFinished, isReady, podFrom } from './pods.js';
import { watchOwned } from './watch-owners.js';

const HASH_LABEL = 'controller-revision-hash';

/** Keeps a StatefulSet's numbered pods, one step at a time unless it asks for parallel management. */
export class StatefulSetReconciler implements ClusterReconciler {
  readonly name = 'statefulset';
  readonly watches = watchOwned(STATEFUL_SET, POD);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const set = scope.cache.find(STATEFUL_SET, key.name, key.namespace);
    if (!set || set.metadata.deletionTimestamp !== undefined) return;
    const revision = await ensureRevision(set, scope);
    await this.step(set, revision, scope);
    await this.saveStatus(set, revision, scope);
    const pods = scope.cache.ownedBy(POD, set.metadata.uid);
    const ofPods = pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? '');
    await removeOldRevisions(set, new Set([revision, currentRevision(set, revision), ...ofPods]), scope);
  }

  private async step(set: StatefulSet, revision: string, scope: ClusterScope): Promise<void> {
    const pods = new Map(scope.cache.ownedBy(POD, set.metadata.uid).map((pod) => [pod.metadata.name, pod]));
    const names = Array.from({ length: set.spec.replicas }, (_, index) => nameOf(set, index));
    const isParallel = set.spec.podManagementPolicy === 'Parallel';
    for (const name of names) {
      const pod = pods.get(name);
      if (pod && isFinished(pod)) return scope.remove(POD, pod);
      if (!pod) await this.createPod(set, name, revisionFor(name, set, revision), scope);
      if (!isParallel && (!pod || !isReady(pod))) return;
    }
    const surplus = [...pods.values()].filter((pod) => !names.includes(pod.metadata.name)).sort(byOrdinalDown);
    if (surplus.length > 0) {
      for (const pod of isParallel ? surplus : surplus.slice(0, 1)) await scope.remove(POD, pod);
      return;
    }
    await this.roll(set, revision, pods, scope);
  }

  /**
   * From the highest number down to `partition`, each ready before the next; one of another revision goes whether or not it is ready.
   * Source: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions
   */
  private async roll(
    set: StatefulSet,
    revision: string,
    pods: ReadonlyMap<string, Pod>,
    scope: ClusterScope,
  ): Promise<void> {
    if (set.spec.updateStrategy.type === 'OnDelete') return;
    for (let index = set.spec.replicas - 1; index >= partitionOf(set); index -= 1) {
      const pod = pods.get(nameOf(set, index));
      if (!pod) return;
      if (pod.metadata.labels?.[HASH_LABEL] !== revision) return scope.remove(POD, pod);
      if (!isReady(pod)) return;
    }
  }

  private async createPod(set: StatefulSet, name: string, revision: string, scope: ClusterScope): Promise<void> {
    const claims = set.spec.volumeClaimTemplates ?? [];
    const namespace = set.metadata.namespace ?? '';
    for (const claim of claims) {
      const labels = set.spec.selector.matchLabels ?? {};
      await scope.ensure(PERSISTENT_VOLUME_CLAIM, {
        metadata: { name: `${claim.metadata.name}-${name}`, namespace, labels },
        spec: claim.spec,
        status: { phase: 'Pending' },
      });
    }
    const template = templateOf(revision, set, scope) ?? set.spec.template;
    await scope.create(POD, numberedPod({ ...set, spec: { ...set.spec, template } }, revision, name));
  }

  private async saveStatus(set: StatefulSet, revision: string, scope: ClusterScope): Promise<void> {
    const pods = scope.cache.ownedBy(POD, set.metadata.uid);
    const ready = pods.filter(isReady).length;
    const having = (name: string): number => pods.filter((pod) => pod.metadata.labels?.[HASH_LABEL] === name).length;
    const updated = having(revision);
    const isRolledOut = updated === set.spec.replicas && pods.length === updated && ready === updated;
    const current = isRolledOut ? revision : currentRevision(set, revision);
    const status = {
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      availableReplicas: ready,
      ...withoutZeros({
        readyReplicas: ready,
        currentReplicas: having(current),
        updatedReplicas: updated,
      }),
      currentRevision: current,
      updateRevision: revision,
      collisionCount: 0,
    };
    await scope.update(STATEFUL_SET, set, { status });
  }
}

/** The revision that all pods had before the update under way. */
function currentRevision({ status }: StatefulSet, updated: string): string {
  return status?.currentRevision ?? updated;
}

/** Pods below the partition keep the revision from before, also when they are made anew. */
function revisionFor(name: string, set: StatefulSet, updated: string): string {
  const isKept = ordinal(name) - (set.spec.ordinals?.start ?? 0) < partitionOf(set);
  return isKept ? currentRevision(set, updated) : updated;
}

function partitionOf({ spec }: StatefulSet): number {
  return spec.updateStrategy.type === 'OnDelete' ? 0 : (spec.updateStrategy.rollingUpdate?.partition ?? 0);
}

function numberedPod(set: StatefulSet, revision: string, name: string): NewObject<Pod> {
  const pod = podFrom(set.spec.template, set, name);
  const identity = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal(name)),
  };
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [HASH_LABEL]: revision, ...identity } },
    spec: {
      ...pod.spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      ...(claims.length > 0 ? { volumes: [...(pod.spec.volumes ?? []), ...claims] } : {}),
    },
  };
}

function nameOf(set: StatefulSet, index: number): string {
  return `${set.metadata.name}-${(set.spec.ordinals?.start ?? 0) + index}`;
}

function ordinal(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function byOrdinalDown(left: Pod, right: Pod): number {
  return ordinal(right.metadata.name) - ordinal(left.metadata.name);
}
