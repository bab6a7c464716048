import {
  ADD_ON,
  ADD_ON_INSTALLATION,
  INFRASTRUCTURE,
  isExisting,
  KUBERNETES_CLUSTER,
  type Infrastructure,
  type KubernetesCluster,
} from '@crate/api';
import type { PolicyReviewer } from '@crate/messaging';
import { settled, type Phase } from '@crate/reconcile';
import type { RecoveryHold, ServiceClients } from '@crate/service-host';
import type { ClassPreview } from '../cluster-class/class-state.js';
import type { ClusterPhases } from './cluster.reconciler.js';
import type { ClusterScope } from './cluster.scope.js';
import { holdToDestruction } from '../plan/approved-plan.js';
import type { AccountProviders } from './account-providers.js';
import { handOverVolumes, passVolumesOn } from './kept-volumes.js';
import { AddOnsPhase } from './phases/add-ons.phase.js';
import { AttachPhase } from './phases/attach.phase.js';
import { ClassPhase } from './phases/class.phase.js';
import { DeletionHoldPhase } from './phases/deletion-hold.phase.js';
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
  readonly recovery: Pick<RecoveryHold, 'isClosed' | 'check' | 'deletionPhase'>;
}

/** The journey of a cluster and its way back, in order. */
export function clusterPhases(clients: ServiceClients, parts: ClusterPhaseParts): ClusterPhases {
  const { policies, providers, classes, recovery } = parts;
  const policy = new PolicyPhase(policies, providers);
  const kubernetesClusters = clients.for(KUBERNETES_CLUSTER);
  const infrastructures = clients.for(INFRASTRUCTURE);
  const installations = clients.for(ADD_ON_INSTALLATION);
  const addOns = new AddOnsPhase(clients.for(ADD_ON), installations, recovery);
  const removeKubernetes = new RemoveChildPhase<KubernetesCluster>(kubernetesClusters, {
    remember: (scope, child) => (scope.kubernetes = child),
    handOver: ({ cluster }, child) =>
      isExisting(cluster) ? Promise.resolve() : handOverVolumes(infrastructures, cluster, child),
  });
  const removeInfrastructure = new RemoveChildPhase<Infrastructure>(infrastructures, {
    remember: (scope, child) => (scope.infrastructure = child),
    instruct: async ({ cluster }, child) =>
      passVolumesOn(infrastructures, cluster, await holdToDestruction(infrastructures, cluster, child)),
  });
  const infrastructure = new InfrastructurePhase(infrastructures);
  const machineAccess = new MachineAccessPhase(kubernetesClusters, infrastructures);
  const kubernetes = new KubernetesPhase(kubernetesClusters);
  const attach = new AttachPhase(kubernetesClusters);
  const pause = new PausePhase(infrastructures, kubernetesClusters, installations);
  return {
    bringUp: [
      new ClassPhase(classes).run,
      policy.run,
      ...[machineAccess.run, addOns.leaveFirst, machineAccess.release, infrastructure.run].map(pause.over).map(ofMade),
      ofMade(kubernetes.run),
      ofExisting(attach.run),
      addOns.run,
      ofMade(kubernetes.awaitReady),
      ofMade(infrastructure.awaitReady),
      ofExisting(attach.awaitNodes),
    ],
    pause: [pause.run, policy.look],
    // Add-ons may own cloud things of their own, so they go while the cluster can still take them away; but for those that it needs for that.
    tearDown: [
      new DeletionHoldPhase({ recovery, kubernetesClusters, infrastructures }).run,
      addOns.tearDown,
      removeKubernetes.run,
      ofMade(addOns.tearDownRest),
      ofMade(removeInfrastructure.run),
    ],
    afterwards: policy.forget,
  };
}

/** Of clusters alone whose machines Crate makes. */
function ofMade(phase: Phase<ClusterScope>): Phase<ClusterScope> {
  return (scope, context) => (isExisting(scope.cluster) ? Promise.resolve(settled) : phase(scope, context));
}

/** Of clusters alone that were there before. */
function ofExisting(phase: Phase<ClusterScope>): Phase<ClusterScope> {
  return (scope, context) => (isExisting(scope.cluster) ? phase(scope, context) : Promise.resolve(settled));
}
