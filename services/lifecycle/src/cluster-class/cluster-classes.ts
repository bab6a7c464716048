import { CLUSTER, CLUSTER_CLASS, CLUSTER_CLASS_REVISION } from '@crate/api';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import type { ServiceClients } from '@crate/service-host';
import { ClassResolver } from './class-resolver.js';
import { ClassRevisions } from './class-revisions.js';
import { ClassPreview } from './class-state.js';
import { revisionAdmission } from './cluster-class-revision.admission.js';
import { classAdmission } from './cluster-class.admission.js';
import { constraintAdmission } from './cluster-class.constraints.js';
import { classPrepare } from './cluster-class.prepare.js';

/** Everything that makes clusters of classes. */
export interface ClusterClasses {
  readonly kinds: readonly ServedKind[];
  /** Fills clusters in. */
  readonly prepare: AdmissionHook;
  /** Judges clusters that are filled in. */
  readonly constraints: AdmissionHook;
  readonly preview: ClassPreview;
  readonly revisions: ClassRevisions;
}

/** Wires classes over the service's own resources. */
export function clusterClasses(clients: ServiceClients, service: string): ClusterClasses {
  const revisions = new ClassRevisions(clients.for(CLUSTER_CLASS_REVISION));
  const resolver = new ClassResolver(clients.for(CLUSTER_CLASS), revisions);
  const preview = new ClassPreview(resolver);
  const clusters = clients.for(CLUSTER);
  return {
    kinds: [
      { definition: CLUSTER_CLASS, nameFormat: 'dnsLabel', admit: [classAdmission({ clusters, preview })] },
      { definition: CLUSTER_CLASS_REVISION, admit: [revisionAdmission(service)] },
    ],
    prepare: classPrepare(resolver),
    constraints: constraintAdmission(resolver),
    preview,
    revisions,
  };
}
