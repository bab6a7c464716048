import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  type Infrastructure,
  type KubernetesCluster,
} from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import type { RecoveryHold, ServiceClients } from '@crate/service-host';
import type { ClassPreview } from '../cluster-class/class-state.js';
import type { ClusterPhases } from './cluster.reconciler.js';
import type { ClusterScope } from './cluster.scope.js';
import { holdToDestruction } from '../plan/approved-plan.js';
import type { AccountProviders } from './account-providers.js';
import { handOverVolumes, passVolumesOn } from './kept-volumes.js';
import { AddOnsPhase } from './phases/add-ons.phase.js';
import { ClassPhase } from './phases/class.phase.js';
import { InfrastructurePhase } from './phases/infrastructure.phase.js';
import { KubernetesPhase } from './phases/kubernetes.phase.js';
import { MachineAccessPhase } from './phases/machine-access.phase.js';
import { PausePhase } from './phases/pause.phase.js';
import { PolicyPhase } from './phases/policy.phase.js';
import { RemoveChildPhase } from './phases/tear-down.phase.js';

export interface ClusterPhaseParts {
  readonly policies: PolicyReviewer;
  readonly providers: Pick<AccountProviders, 'of'>;
  readonly classes: ClassPreview;
  /** Holds back what takes something away while the database is older than the world. */
  readonly recovery: Pick<RecoveryHold, 'check' | 'deletionPhase'>;
}

/** The journey of a cluster and its way back, in order. */
export function clusterPhases(clients: ServiceClients, parts: ClusterPhaseParts): ClusterPhases {
  const { policies, providers, classes, recovery } = parts;
  const policy = new PolicyPhase(policies, providers);
  const kubernetesClusters = clients.for(KUBERNETES_CLUSTER);
  const infrastructures = clients.for(INFRASTRUCTURE);
  const addOns = new AddOnsPhase(clients.for(ADD_ON), clients.for(ADD_ON_INSTALLATION), recovery);
  const removeKubernetes = new RemoveChildPhase<KubernetesCluster>(kubernetesClusters, {
    remember: (scope, child) => (scope.kubernetes = child),
    handOver: (scope, child) => handOverVolumes(infrastructures, scope.cluster, child),
  });
  const removeInfrastructure = new RemoveChildPhase<Infrastructure>(infrastructures, {
    remember: (scope, child) => (scope.infrastructure = child),
    instruct: async ({ cluster }, child) =>
      passVolumesOn(infrastructures, cluster, await holdToDestruction(infrastructures, cluster, child)),
  });
  return {
    bringUp: [
      new ClassPhase(classes).run,
      policy.run,
      new MachineAccessPhase(kubernetesClusters).run,
      new InfrastructurePhase(infrastructures).run,
      new KubernetesPhase(kubernetesClusters).run,
      addOns.run,
    ],
    pause: [new PausePhase(infrastructures).run, policy.look],
    // Add-ons may own cloud things of their own, so they go while the cluster can still take them away.
    tearDown: [
      recovery.deletionPhase((scope: ClusterScope) => scope.cluster),
      addOns.tearDown,
      removeKubernetes.run,
      removeInfrastructure.run,
    ],
    afterwards: policy.forget,
  };
}
