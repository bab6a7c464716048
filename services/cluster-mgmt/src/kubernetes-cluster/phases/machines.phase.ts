import { settled, waiting, type Outcome } from '@crate/reconcile';
import { engineProgress } from '../kubernetes-cluster.progress.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** A change of the spec wakes the key; this is in case the news was lost. */
const LOOK_AGAIN_MS = 60_000;

/** Waits until somebody has made machines with our key and named them in the spec. */
export const machinesPhase = (scope: KubernetesClusterScope): Promise<Outcome> => {
  if (scope.cluster.spec.nodes.length > 0) return Promise.resolve(settled);
  scope.progress = engineProgress('up', { step: 0, message: 'Waiting for machines' });
  return Promise.resolve(waiting('WaitingForMachines', LOOK_AGAIN_MS));
};
