import { CLOUD_GROUP, CLUSTER, COMPONENTS, PROJECT, type ComponentName } from '@crate/api';
import type { Foundation } from '@crate/service-host';
import { Attachment } from './attachment.js';
import type { InClusterConfig } from './in-cluster.config.js';

/** The service that has nothing to do in a cluster that others made. */
const CLOUD_MGMT = 'cloud-mgmt';

/** The parts of a platform that is there for its own cluster; the same code, and fewer services. */
export interface InClusterParts {
  /** Knows the services there are. */
  readonly foundation: Foundation;
  /** Whether there are clouds. */
  readonly hasClouds: boolean;
  readonly components: readonly ComponentName[];
  /** API groups that nobody answers for. */
  readonly absentGroups: readonly string[];
  /** Absent: this platform makes clusters. */
  readonly attachment?: Attachment;
}

/** What a platform consists of. */
export function inClusterParts(foundation: Foundation, config: InClusterConfig): InClusterParts {
  if (!config.enabled) return { foundation, hasClouds: true, components: COMPONENTS, absentGroups: [] };
  const { clients, logger, registry } = foundation;
  const ports = { projects: clients.for(PROJECT), clusters: clients.for(CLUSTER), logger };
  return {
    foundation: { ...foundation, registry: registry.without(CLOUD_MGMT) },
    hasClouds: false,
    components: COMPONENTS.filter((name) => name !== CLOUD_MGMT),
    absentGroups: [CLOUD_GROUP],
    attachment: new Attachment(ports, config),
  };
}
