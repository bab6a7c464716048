import {
  INFRASTRUCTURE,
  isExisting,
  KUBERNETES_CLUSTER,
  type Cluster,
  type KindDefinition,
  type KubeObject,
} from '@crate/api';
import type { ResourceApi, ResourceRef } from '@crate/resource-client';
import type { SubresourceHandler } from '@crate/resource-server';
import { MergedLog, type LogSource } from './merged-log.js';

export interface ClusterLogsParts {
  readonly cloudMgmt: ResourceApi;
  readonly clusterMgmt: ResourceApi;
}

const LOGS = 'logs';

/** The logs of all runs for a cluster as one, in the order of time, each line with the program it is of. */
export function clusterLogs({ cloudMgmt, clusterMgmt }: ClusterLogsParts): SubresourceHandler {
  return {
    readLog: (cluster, _ref, options, context) => {
      const terraform: LogSource = {
        name: 'terraform',
        read: (part, within) => cloudMgmt.readLog(refOf(INFRASTRUCTURE, cluster), LOGS, part, within),
      };
      const rke: LogSource = {
        name: 'rke',
        read: (part, within) => clusterMgmt.readLog(refOf(KUBERNETES_CLUSTER, cluster), LOGS, part, within),
      };
      // Nothing is run for a cluster that was there before; what there is to be read is read where such runs would be.
      const sources = isExisting(cluster as Cluster) ? [rke] : [terraform, rke];
      return new MergedLog(sources, cluster).read(options, context);
    },
  };
}

/** The child that lifecycle made for the cluster has its name. */
function refOf({ group, version, plural }: KindDefinition, { metadata }: KubeObject): ResourceRef {
  const { name, namespace = '' } = metadata;
  return { group, version, plural, namespace, name };
}
