import { CRON_JOB, JOB } from '../kinds/batch.js';
import { CONFIG_MAP, EVENT, NAMESPACE, NODE, RESOURCE_QUOTA, SECRET, SERVICE_ACCOUNT } from '../kinds/core.js';
import { CUSTOM_RESOURCE_DEFINITION } from '../kinds/custom-resource-definition.js';
import { POD_DISRUPTION_BUDGET } from '../kinds/networking.js';
import { POD } from '../kinds/pod.js';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING } from '../kinds/rbac.js';
import { ENDPOINTS, ENDPOINT_SLICE, SERVICE } from '../kinds/service.js';
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS } from '../kinds/storage.js';
import { CONTROLLER_REVISION, DAEMON_SET, DEPLOYMENT, REPLICA_SET, STATEFUL_SET } from '../kinds/workloads.js';
import type { ClusterReconciler } from '../runtime/cluster-loop.js';
import { CustomResourceReconciler } from './custom-resource.reconciler.js';
import { DaemonSetReconciler } from './daemon-set.reconciler.js';
import { DeploymentReconciler } from './deployment.reconciler.js';
import { EndpointsReconciler } from './endpoints.reconciler.js';
import { JobReconciler } from './job.reconciler.js';
import { KubeletReconciler } from './kubelet.reconciler.js';
import { LoadBalancerReconciler } from './load-balancer.reconciler.js';
import { NamespaceReconciler } from './namespace.reconciler.js';
import { NodeReconciler } from './node.reconciler.js';
import { PodNetworkReconciler } from './pod-network.reconciler.js';
import { ReplicaSetReconciler } from './replica-set.reconciler.js';
import { SchedulerReconciler } from './scheduler.reconciler.js';
import { StatefulSetReconciler } from './stateful-set.reconciler.js';
import { VolumeClaimReconciler } from './volume-claim.reconciler.js';
import { VolumeReconciler } from './volume.reconciler.js';

/** The loops of every simulated cluster. They hold nothing, so all clusters of a process share them. */
export const RECONCILERS: readonly ClusterReconciler[] = [
  new CustomResourceReconciler(),
  new NamespaceReconciler(),
  new NodeReconciler(),
  new SchedulerReconciler(),
  new KubeletReconciler(),
  new DeploymentReconciler(),
  new ReplicaSetReconciler(),
  new DaemonSetReconciler(),
  new StatefulSetReconciler(),
  new JobReconciler(),
  new EndpointsReconciler(),
  new PodNetworkReconciler(),
  new VolumeClaimReconciler(),
  new VolumeReconciler(),
  new LoadBalancerReconciler(),
];

/** Kinds whose objects the loops and the authoriser keep in memory. */
export const CACHED_KINDS = [
  ...[NAMESPACE, NODE, SERVICE_ACCOUNT, CONFIG_MAP, SECRET, EVENT, RESOURCE_QUOTA, CUSTOM_RESOURCE_DEFINITION],
  ...[POD, DEPLOYMENT, REPLICA_SET, DAEMON_SET, STATEFUL_SET, CONTROLLER_REVISION, JOB, CRON_JOB],
  ...[
    POD_DISRUPTION_BUDGET,
    SERVICE,
    ENDPOINTS,
    ENDPOINT_SLICE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    STORAGE_CLASS,
  ],
  ...[ROLE, ROLE_BINDING, CLUSTER_ROLE, CLUSTER_ROLE_BINDING],
] as const;
