import { CLASS_MARK } from '../users/user-action.js';
import type { KubeObject } from './kube-object.js';
import type { World } from './world.js';

interface ClassRef {
  readonly name: string;
  readonly revision?: number;
}

/** What a class says of its clusters, or a cluster for itself. */
export interface Template {
  readonly kubernetes?: { readonly version?: string };
  readonly nodePools?: readonly { readonly labels?: Readonly<Record<string, string>> }[];
}

interface ClassState {
  readonly revision?: number;
  readonly pinned?: boolean;
}

/** Clusters of classes that nobody deletes. */
export function livingOf({ clusters }: Pick<World, 'clusters'>): readonly KubeObject[] {
  return clusters.filter((one) => one.metadata.deletionTimestamp === undefined && refOf(one) !== undefined);
}

/** The class that a cluster or a revision is of. */
export function refOf({ spec }: KubeObject): ClassRef | undefined {
  return spec?.['classRef'] as ClassRef | undefined;
}

/** What a cluster says of its class. */
export function stateOf({ status }: KubeObject): ClassState | undefined {
  return status?.['class'] as ClassState | undefined;
}

/** Number of a revision. */
export function revisionOf({ spec }: Pick<KubeObject, 'spec'>): number {
  return Number(spec?.['revision'] ?? 0);
}

/** Name of the class that a revision is of. */
export function ofClass(revision: KubeObject): string | undefined {
  return refOf(revision)?.name;
}

/** How many clusters a class says that it has. */
export function countOf({ status }: KubeObject, what: 'total' | 'failing'): number {
  return ((status?.['clusters'] ?? {}) as Readonly<Record<string, number>>)[what] ?? 0;
}

/** By which the content of a class is known. */
export function markOf({ nodePools = [] }: Template): string | undefined {
  return nodePools[0]?.labels?.[CLASS_MARK];
}

/** Of a version of Kubernetes. */
export function minorOf({ kubernetes }: Template): number {
  return Number(kubernetes?.version?.split('.')[1]);
}
