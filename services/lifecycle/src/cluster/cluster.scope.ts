import type {
  AbandonedResource,
  AddOn,
  AddOnInstallation,
  Cluster,
  ClusterNode,
  Infrastructure,
  KubernetesCluster,
  PolicyReviewResponse,
} from '@crate/api';
import type { ClassState } from '../cluster-class/class-state.js';

/** What one pass knows of a cluster. Each fact is set by the phase named beside it and absent until that phase ran. */
export interface ClusterScope {
  readonly cluster: Cluster;
  /** class phase; absent also for clusters without a class */
  classState?: ClassState | 'ClassNotFound';
  /** policy phase: of its account; undefined also where there is no such account */
  provider?: string | undefined;
  /** policy phase */
  review?: PolicyReviewResponse;
  /** policy phase: rules forbid what stands; it is looked after all the same */
  isLeftStanding?: true;
  /** machine-access phase, renewed by later phases that change it */
  kubernetes?: KubernetesCluster;
  /** machine-access phase: nodes that nobody asks for, and that have not left */
  leavingNodes?: readonly string[];
  /** machine-access phase: nodes that nobody asks for, and that stay until a worker that replaces them is ready */
  replacedNodes?: readonly ClusterNode[];
  /** infrastructure phase */
  infrastructure?: Infrastructure;
  /** add-ons phase: the closure of what the spec asks for, dependencies first */
  addOns?: readonly AddOn[];
  /** add-ons phase: what is installed for this cluster, whatever the spec says */
  installations?: readonly AddOnInstallation[];
  /** rest-of-add-ons phase: Kubernetes is no more */
  isKubernetesGone?: true;
  /** tear-down phases: children that still have to go, in the words of a person */
  blockers?: readonly string[];
  /** tear-down phases: what a forced deletion gave up here */
  abandoned?: readonly AbandonedResource[];
}

/** A scope that knows nothing but the cluster itself. */
export function openScope(cluster: Cluster): ClusterScope {
  return { cluster };
}
