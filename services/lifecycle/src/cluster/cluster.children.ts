import {
  apiVersionOf,
  CLUSTER,
  CLUSTER_ENGINE_LABEL,
  CLUSTER_NAME_LABEL,
  CLUSTER_PROVIDER_LABEL,
  CLUSTER_UID_LABEL,
  isPaused,
  PAUSED_ANNOTATION,
  type Cluster,
  type Condition,
  type KubeObject,
  type ObjectMeta,
  type Progress,
} from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { ReconcileKey } from '@crate/reconcile';

/** Server-side apply manager of everything that lifecycle states about a child. */
export const FIELD_MANAGER = 'crate-lifecycle';

/** Whose child it is. */
export interface ChildOwner {
  readonly cluster: Cluster;
  /** Of its account; undefined while that is not there. */
  readonly provider?: string | undefined;
}

/** Any object that says how it is and how far it has come. */
interface Reporting extends KubeObject {
  status?: { readonly conditions?: readonly Condition[]; readonly progress?: Progress };
}

/** Labels of the platform itself. */
const OURS = /^([^/]*\.)?crate\.dev\//;

/**
 * Labels that tie a child to the cluster it was made for; the uid tells apart two clusters of one name. Besides, those that people gave
 * the cluster, its engine and its cloud: by them its owner knows which policies are about it.
 */
export function childLabels({ cluster: { metadata, spec }, provider }: ChildOwner): Record<string, string> {
  const given = Object.entries(metadata.labels ?? {}).filter(([label]) => !OURS.test(label));
  return {
    ...Object.fromEntries(given),
    [CLUSTER_NAME_LABEL]: metadata.name,
    [CLUSTER_UID_LABEL]: metadata.uid,
    [CLUSTER_ENGINE_LABEL]: spec.kubernetes.engine,
    ...(provider === undefined ? {} : { [CLUSTER_PROVIDER_LABEL]: provider }),
  };
}

/**
 * What names a child and whose it is. The owner is in another service's store, so nothing is collected by the reference: it is for those
 * who show children below their owner, and who would take an object with the labels of theirs that has no owner for one of their own,
 * and prune it, as Argo CD does.
 */
export function childMetadata(owner: ChildOwner, name: string): Partial<ObjectMeta> & { readonly name: string } {
  const { namespace, name: clusterName, uid } = owner.cluster.metadata;
  const reference = { apiVersion: apiVersionOf(CLUSTER), kind: CLUSTER.kind, name: clusterName, uid, controller: true };
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: childLabels(owner),
    ownerReferences: [reference],
  };
}

/** Selects every child of the cluster. */
export function childSelector(cluster: Cluster): string {
  return `${CLUSTER_UID_LABEL}=${cluster.metadata.uid}`;
}

/** The cluster a child was made for; nothing for objects that people made themselves. */
export function clusterKeysOf(child: KubeObject): readonly ReconcileKey[] {
  const name = child.metadata.labels?.[CLUSTER_NAME_LABEL];
  return name === undefined ? [] : [{ namespace: child.metadata.namespace ?? '', name }];
}

/**
 * What passes of a cluster go by in a child of its: how far it has come, and in which words, they only show. Of the spec its generation
 * tells. Pure.
 */
export function essenceOfChild(child: KubeObject): unknown {
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = child.metadata;
  const { progress: _progress, conditions = [], ...status } = (child as Reporting).status ?? {};
  return { metadata, status, conditions: conditions.map(({ message: _message, ...condition }) => condition) };
}

/** The cluster's child of that name, or undefined. Throws InvalidSpec when the name is taken by something else. */
export async function findChild<T extends KubeObject>(
  client: TypedClient<T>,
  cluster: Cluster,
  name: string,
): Promise<T | undefined> {
  const found = await client.find(name, cluster.metadata.namespace);
  if (!found || found.metadata.labels?.[CLUSTER_UID_LABEL] === cluster.metadata.uid) return found;
  const message = `${client.kind.kind} "${name}" exists already and belongs to something else`;
  throw invalidSpec(message, [{ reason: 'NameTaken', field: 'metadata.name', message }], {
    reason: 'NameTaken',
    field: 'metadata.name',
    remedy: `Remove ${client.kind.singular} "${name}" or give the cluster another name`,
  });
}

/** The cluster's children of a kind of which it has many. */
export function listChildren<T extends KubeObject>(client: TypedClient<T>, cluster: Cluster): Promise<readonly T[]> {
  const namespace = cluster.metadata.namespace as string;
  return client.list({ namespace, labelSelector: childSelector(cluster) });
}

/** What a statement about a child that was found names, so that one that comes late does not hit the next of its name. */
export function uidOf(found: KubeObject | undefined): { readonly uid?: string } {
  return found ? { uid: found.metadata.uid } : {};
}

/** Has nothing more begun for the child, whatever was asked of it. Writes only when that is news. */
export function pauseChild<T extends KubeObject>(client: TypedClient<T>, child: T): Promise<T> {
  const isNews = !isPaused(child) && child.metadata.deletionTimestamp === undefined;
  return isNews ? setPaused(client, child, 'true') : Promise.resolve(child);
}

/**
 * Lets the child go on. Comes after it was told what is asked for now: what it was told before the pause may be why there was one. Writes only
 * when that is news.
 */
export function resumeChild<T extends KubeObject>(client: TypedClient<T>, child: T): Promise<T> {
  return isPaused(child) ? setPaused(client, child, null) : Promise.resolve(child);
}

function setPaused<T extends KubeObject>(client: TypedClient<T>, { metadata }: T, value: string | null): Promise<T> {
  const { name, namespace, uid } = metadata;
  return client.merge(name, namespace, { metadata: { uid, annotations: { [PAUSED_ANNOTATION]: value } } });
}

/** Creates or updates the cluster's child so that `spec` holds, and leaves it paused where it is. Stating the same again writes nothing. Conflict when it is another one by now. */
export async function stateChild<T extends KubeObject>(
  client: TypedClient<T>,
  owner: ChildOwner,
  name: string,
  spec: unknown,
): Promise<T> {
  const found = await findChild(client, owner.cluster, name);
  return client.ensure({ metadata: { ...childMetadata(owner, name), ...uidOf(found) }, spec }, FIELD_MANAGER);
}
