import {
  CLUSTER_DELETION_ANNOTATION,
  type AbandonedResource,
  type AddOnInstallation,
  type ConditionFact,
  type InventoryEntry,
  type KubernetesCluster,
  type PolicyReviewResponse,
  type Progress,
} from '@crate/api';
import type { PlatformError } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import type { FoundBlocker } from '@crate/reconcile';
import { isExistingCluster } from '../kubernetes-cluster/kubernetes-cluster.scope.js';

/** What one pass knows of an installation. Fields are undefined until the phase that sets them has run. */
export interface AddOnInstallationScope {
  /** As read at the start of the pass, or as written by it. */
  installation: AddOnInstallation;
  /** Set by the cluster phase. */
  cluster?: KubernetesCluster;
  /** The way into the cluster. Set by the cluster phase; on deletion undefined when the cluster is gone. */
  target?: TargetCluster;
  /** Why the way into a cluster that goes cannot be read. Set by the cluster phase on deletion, without `target`. */
  lostKey?: PlatformError;
  /** Objects that may exist in the cluster because of this installation. Never less than what does. */
  inventory: readonly InventoryEntry[];
  /** Everything is in the cluster as stated. Set by the apply phase. */
  isApplied: boolean;
  /** What stands otherwise than stated, for people. Set by the apply phase once it has left it so, or put it back. */
  drifted?: readonly string[];
  /** Verdict on what is to be applied. Set by the apply phase. */
  review?: PolicyReviewResponse;
  /** Verdict on what stands, where there is anything new to say. Set by the apply phase. */
  compliance?: ConditionFact;
  progress?: Progress;
  /** What a deletion waits for. */
  blockers: readonly FoundBlocker[];
  /** What a forced deletion leaves in a cluster that stays. Set by the remove phase. */
  abandoned?: readonly AbandonedResource[];
  /** Objects may be there still, which nobody removes any more. Set by the remove phase. */
  isGivenUp?: boolean;
}

/** The cluster outlives what is known of it here: nothing goes down with it. */
export function isStaying({ cluster }: Pick<AddOnInstallationScope, 'cluster'>): boolean {
  return cluster !== undefined && isExistingCluster(cluster);
}

/** The cluster is on its way out, and so is all that is in it. */
export function isGoing(scope: Pick<AddOnInstallationScope, 'cluster' | 'installation'>): boolean {
  const { annotations } = scope.installation.metadata;
  const since = scope.cluster?.metadata.deletionTimestamp ?? annotations?.[CLUSTER_DELETION_ANNOTATION];
  return since !== undefined && !isStaying(scope);
}

export function openScope(installation: AddOnInstallation): AddOnInstallationScope {
  return { installation, inventory: installation.status?.inventory ?? [], isApplied: false, blockers: [] };
}
