import { PAUSED } from '@crate/api';
import { settled, waiting, type Outcome, type Phase, type ReconcileContext } from '@crate/reconcile';
import { isExistingCluster, type KubernetesClusterScope } from './kubernetes-cluster.scope.js';

/** The way there and back, as ordered lists of phases. */
export interface KubernetesClusterPhases {
  readonly bringUp: readonly Phase<KubernetesClusterScope>[];
  /** While it is paused: looks, and begins nothing. */
  readonly pause: readonly Phase<KubernetesClusterScope>[];
  readonly tearDown: readonly Phase<KubernetesClusterScope>[];
}

/** Of clusters alone that an engine makes. */
export function ofMade(phase: Phase<KubernetesClusterScope>): Phase<KubernetesClusterScope> {
  return (scope, context) => (isExistingCluster(scope.cluster) ? Promise.resolve(settled) : phase(scope, context));
}

/** Of clusters alone that were there before. */
export function ofExisting(phase: Phase<KubernetesClusterScope>): Phase<KubernetesClusterScope> {
  return (scope, context) => (isExistingCluster(scope.cluster) ? phase(scope, context) : Promise.resolve(settled));
}

/** A phase or a look, and work in the cluster once it was seen to be up, however far it is. */
export function andIfUp<T>(
  look: (scope: KubernetesClusterScope, context: ReconcileContext) => Promise<T>,
  work: (scope: KubernetesClusterScope, context: ReconcileContext) => Promise<void>,
): (scope: KubernetesClusterScope, context: ReconcileContext) => Promise<T> {
  return async (scope, context) => {
    const outcome = await look(scope, context);
    if (scope.contact?.kind === 'up') await work(scope, context);
    return outcome;
  };
}

/** Work, and a look at the cluster when it fails: what can be seen of it does not depend on that. What comes of the look hides no failure. */
export function seenIfFailed(
  phase: Phase<KubernetesClusterScope>,
  look: (scope: KubernetesClusterScope, context: ReconcileContext) => Promise<void>,
): Phase<KubernetesClusterScope> {
  return async (scope, context) => {
    try {
      return await phase(scope, context);
    } catch (error) {
      await look(scope, context).catch(() => undefined);
      throw error;
    }
  };
}

/** Comes in a deletion after all that may hold it: what an earlier pass met there is over. */
export function notHeldPhase(scope: KubernetesClusterScope): Promise<Outcome> {
  scope.stage = 'work';
  return Promise.resolve(settled);
}

/** The end of the pause wakes the key; this is in case the news was lost. */
const PAUSED_LOOK_AGAIN_MS = 60_000;

/** What a look at a paused cluster ends with. */
export function awaitResumption({ isApplied }: KubernetesClusterScope): Promise<Outcome> {
  return Promise.resolve(isApplied ? settled : waiting(PAUSED, PAUSED_LOOK_AGAIN_MS));
}
