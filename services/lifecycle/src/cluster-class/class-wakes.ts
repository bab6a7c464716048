import { findCondition, type Cluster, type ClusterClass, type KubeObject } from '@crate/api';
import type { ReconcileKey } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { isHeldToPlan } from '../plan/approved-plan.js';
import { HELD_ANNOTATION } from './class-marks.js';
import { usersOf } from './cluster-class.admission.js';
import { StatedFields } from './stated-fields.js';

/** Objects remembered, more than the largest fleet has; one that was forgotten wakes once too often. */
const REMEMBERED = 100_000;

/** Tells changes that matter from those that do not, by what was seen last. */
class LastSeen {
  private readonly byUid = new Map<string, string>();

  isNews(uid: string, seen: string): boolean {
    return this.byUid.get(uid) !== seen;
  }

  /** What was seen before, when that is something else; undefined when it is the same. */
  replace(uid: string, seen: string): { readonly before: string | undefined } | undefined {
    if (!this.isNews(uid, seen)) return undefined;
    const before = this.byUid.get(uid);
    this.byUid.delete(uid);
    this.byUid.set(uid, seen);
    const [oldest] = this.byUid.keys();
    if (this.byUid.size > REMEMBERED && oldest !== undefined) this.byUid.delete(oldest);
    return { before };
  }
}

/** The classes that a change of a cluster concerns: those it refers to and referred to. Progress alone concerns none. */
export function classKeysOf(): (object: KubeObject) => readonly ReconcileKey[] {
  const seen = new LastSeen();
  return (object) => {
    const cluster = object as Cluster;
    const name = cluster.spec.classRef?.name;
    const change = seen.replace(cluster.metadata.uid, JSON.stringify([name ?? '', ...factsOf(cluster)]));
    if (!change) return [];
    const before = change.before === undefined ? undefined : (JSON.parse(change.before) as readonly string[])[0];
    return [...new Set([name, before])].flatMap((each) => (each ? [{ namespace: '', name: each }] : []));
  };
}

/** What a rollout judges a cluster by. A revision that is not stated any more stays in the spec: only who owns it tells. */
function factsOf(cluster: Cluster): readonly unknown[] {
  const { metadata, status } = cluster;
  const { generation, deletionTimestamp, finalizers } = metadata;
  const ready = findCondition(status?.conditions, 'Ready');
  return [
    generation,
    deletionTimestamp,
    finalizers?.length,
    ready?.status,
    ready?.observedGeneration,
    status?.failure?.code,
    StatedFields.of(cluster).hasRevision,
    isHeldToPlan(cluster),
    metadata.annotations?.[HELD_ANNOTATION],
  ];
}

/** The clusters that a change of a class concerns; a change of its status alone concerns none. */
export function usingClusterKeysOf(
  clusters: TypedClient<Cluster>,
): (object: KubeObject) => Promise<readonly ReconcileKey[]> {
  const seen = new LastSeen();
  return async (object) => {
    const owner = object as ClusterClass;
    const [uid, generation] = [owner.metadata.uid, String(owner.metadata.generation)];
    if (!seen.isNews(uid, generation)) return [];
    const users = await clusters.list(usersOf(owner));
    // Not before they are known: who calls asks again after a failure.
    seen.replace(uid, generation);
    return users.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));
  };
}
