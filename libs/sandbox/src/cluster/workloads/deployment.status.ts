import type { Deployment, ReplicaSet } from '../kinds/workloads.js';
import { setConditions, withoutZeros, type CoreCondition } from './conditions.js';
import { resolveCount } from './deployment-rollout.js';

/** Facts in, status out; no I/O. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  now: string,
): Deployment['status'] {
  const { replicas: desired, strategy } = deployment.spec;
  const total = (field: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    sets.reduce((sum, set) => sum + (set.status?.[field] ?? 0), 0);
  const available = total('availableReplicas');
  const wanted = sets.reduce((sum, set) => sum + set.spec.replicas, 0);
  const updated = current?.status?.replicas ?? 0;
  const maxUnavailable = resolveCount(strategy.rollingUpdate?.maxUnavailable ?? '25%', desired, Math.floor);
  const isComplete = updated === desired && total('replicas') === desired && available >= desired;
  const facts = [
    availableFact(available >= desired - maxUnavailable),
    progressingFact(isComplete, current ?? sets[0], deployment),
  ];
  return {
    observedGeneration: deployment.metadata.generation,
    ...withoutZeros({
      replicas: total('replicas'),
      updatedReplicas: updated,
      readyReplicas: total('readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wanted - available),
    }),
    conditions: setConditions(deployment.status?.conditions, facts, now),
  };
}

function availableFact(isAvailable: boolean): CoreCondition {
  if (isAvailable) {
    const message = 'Deployment has minimum availability.';
    return { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message };
  }
  const message = 'Deployment does not have minimum availability.';
  return { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

function progressingFact(isComplete: boolean, set: ReplicaSet | undefined, deployment: Deployment): CoreCondition {
  if (deployment.spec.paused) {
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
  }
  const name = `ReplicaSet "${set?.metadata.name ?? ''}"`;
  return isComplete
    ? {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `${name} has successfully progressed.`,
      }
    : { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${name} is progressing.` };
}
