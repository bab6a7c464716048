import {
  ADD_ON_INSTALLATION,
  CLUSTER,
  deletionForcedOf,
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  type AbandonedResource,
  type Blocker,
  type Cluster,
  type DeletionStatus,
  type KubeObject,
} from '@crate/api';
import {
  becameBlocked,
  deletionEvents,
  removeFinalizer,
  type EventDraft,
  type Pass,
  type EventRecorder,
  type FoundBlocker,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { readyMessage } from './phases/child.js';

/** Held on a child until lifecycle has read the last that it had to say. */
export const HANDOVER_FINALIZER = 'lifecycle.crate.dev/handover';

/** What is told of a blocker that only lifecycle sees. */
const OWN_REASONS: ReadonlySet<string> = new Set(['ForeignFinalizer', 'NoProgress']);

/** Kind under which a finalizer is named that was taken off by force. */
const FINALIZER_KIND = 'Finalizer';

/** Finalizers of the services that remove the children, by kind. */
const OWN_FINALIZERS: ReadonlyMap<string, string> = new Map(
  [INFRASTRUCTURE, KUBERNETES_CLUSTER, ADD_ON_INSTALLATION].map(({ kind, group, plural }) => [
    kind,
    `${group}/${plural}`,
  ]),
);

type DeletableChild = KubeObject & { status?: { deletion?: DeletionStatus | undefined } | undefined };

/** What the children say, as the Cluster shows it. */
export interface ChildFindings {
  readonly blockers: readonly FoundBlocker[];
  readonly abandoned: readonly AbandonedResource[];
}

export interface FindingContext {
  readonly now: Date;
  /** A child that says nothing for so long is in the way itself. */
  readonly patienceMs: number;
  /** When the Cluster was asked to go. A child may have been on its way out long before, and waited for what is no blocker of the Cluster's. */
  readonly clusterLeavesAt?: string | undefined;
}

/** What is in the way of children that are being deleted, in their own words where they have any. Pure. */
export function childFindings(children: readonly KubeObject[], context: FindingContext): ChildFindings {
  const leaving = children.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    blockers: leaving.flatMap((child) => blockersOf(child, context)),
    abandoned: leaving.flatMap((child) => (child as DeletableChild).status?.deletion?.abandoned ?? []),
  };
}

/** Once nothing is left to be removed, what still holds the Cluster itself. Pure. */
export function ownFinding(cluster: Cluster, pass: Pass): readonly FoundBlocker[] {
  const { kind, metadata } = cluster;
  if (!pass.ok || pass.outcome.kind !== 'settled' || metadata.deletionTimestamp === undefined) return [];
  const foreign = (metadata.finalizers ?? []).filter((name) => name !== `${CLUSTER.group}/${CLUSTER.plural}`);
  if (foreign.length === 0) return [];
  const message = `Nothing of it is left, but for finalizers of somebody else: ${foreign.sort().join(', ')}`;
  const remedy = 'Whoever set them has to let go, or somebody who may change the cluster takes them off';
  return [{ kind, name: metadata.name, reason: 'ForeignFinalizer', message, remedy }];
}

/** Finalizers that nobody of the platform will take away: those beside the owner's, once the owner is done. Pure. */
export function foreignFinalizers({ kind, metadata }: KubeObject): readonly string[] {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined || finalizers.includes(OWN_FINALIZERS.get(kind) ?? '')) return [];
  return finalizers.filter((name) => name !== HANDOVER_FINALIZER);
}

/** Takes off, in a forced deletion, what nobody of the platform will take off. Gives what was taken off. */
export async function takeOffForeignFinalizers<T extends KubeObject>(
  client: TypedClient<T>,
  cluster: Cluster,
  child: T,
): Promise<readonly AbandonedResource[]> {
  const foreign = deletionForcedOf(cluster) ? foreignFinalizers(child) : [];
  for (const finalizer of foreign) await removeFinalizer(client, child, finalizer);
  const { kind, metadata } = child;
  return foreign.map((finalizer) => ({ kind: FINALIZER_KIND, name: `${finalizer} of ${kind} ${metadata.name}` }));
}

/** Tells a child that what blocks its deletion was given up, with who and why. Writes only when that is news. */
export async function passForceOn<T extends KubeObject>(
  client: TypedClient<T>,
  cluster: Cluster,
  child: T,
): Promise<T> {
  if (!deletionForcedOf(cluster) || child.metadata.deletionTimestamp === undefined) return child;
  const { [FORCE_ANNOTATION]: reason, [FORCED_ANNOTATION]: record } = cluster.metadata.annotations ?? {};
  const annotations = { [FORCE_ANNOTATION]: reason, [FORCED_ANNOTATION]: record };
  const has = child.metadata.annotations ?? {};
  if (has[FORCE_ANNOTATION] === reason && has[FORCED_ANNOTATION] === record) return child;
  const { name, namespace, uid } = child.metadata;
  return client.merge(name, namespace, { metadata: { uid, annotations } });
}

/** Records what a pass changed in the way the Cluster's deletion stands, beyond what its children tell. */
export function recordClusterDeletion(
  recorder: EventRecorder,
  { before, after, traceId }: { readonly before: Cluster; readonly after: Cluster; readonly traceId: string },
): void {
  const { deletion } = after.status ?? {};
  const own = (status: DeletionStatus | undefined): DeletionStatus | undefined =>
    status && { ...status, blockers: status.blockers.filter(isOwn), abandoned: status.abandoned?.filter(isOwn) };
  const news: EventDraft[] = [...deletionEvents(own(before.status?.deletion), own(deletion))];
  if (deletion?.forced && !before.status?.deletion?.forced) {
    const { by, reason } = deletion.forced;
    const message = `${by} gives up what blocks the deletion: ${reason}`;
    news.unshift({ type: 'Warning', reason: 'DeletionForced', message });
  }
  const blocked = becameBlocked(before, after);
  if (blocked) news.push(blocked);
  for (const draft of news) recorder.record(after, { ...draft, traceId });
}

function blockersOf(child: DeletableChild, context: FindingContext): readonly FoundBlocker[] {
  const { kind, metadata, status } = child;
  const { name } = metadata;
  const foreign = foreignFinalizers(child);
  if (foreign.length > 0) {
    const message = `Held by finalizers of somebody else: ${[...foreign].sort().join(', ')}`;
    const remedy = 'Whoever set them has to let go; an administrator may force the deletion';
    return [{ kind, name, reason: 'ForeignFinalizer', message, remedy }];
  }
  const own = status?.deletion?.blockers ?? [];
  const since = silentSince(metadata, context);
  if (own.length > 0 || context.now.getTime() - Date.parse(since) < context.patienceMs) return own;
  const remedy = 'Look whether the service that removes it runs, and at the events and the log of the cluster';
  return [{ kind, name, reason: 'NoProgress', message: readyMessage(child), since, remedy }];
}

function silentSince({ deletionTimestamp = '' }: KubeObject['metadata'], { clusterLeavesAt }: FindingContext): string {
  const isLater = clusterLeavesAt !== undefined && Date.parse(clusterLeavesAt) > Date.parse(deletionTimestamp);
  return isLater ? clusterLeavesAt : deletionTimestamp;
}

function isOwn(entry: Pick<Blocker, 'kind'> & Partial<Pick<Blocker, 'reason'>>): boolean {
  return entry.reason === undefined ? entry.kind === FINALIZER_KIND : OWN_REASONS.has(entry.reason);
}
