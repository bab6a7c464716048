import { CLUSTER, CLUSTER_CLASS, CLUSTER_CLASS_REVISION } from '@crate/api';
import { SilentEventRecorder, type EventRecorder } from '@crate/reconcile';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import type { ReconcilerWatch, RegisteredReconciler, ServiceClients } from '@crate/service-host';
import { ClassResolver } from './class-resolver.js';
import { ClassRevisions } from './class-revisions.js';
import { ClassPreview } from './class-state.js';
import { classKeysOf, usingClusterKeysOf } from './class-wakes.js';
import { revisionAdmission } from './cluster-class-revision.admission.js';
import { classAdmission } from './cluster-class.admission.js';
import { classClusters } from './cluster-class.clusters.js';
import { constraintAdmission } from './cluster-class.constraints.js';
import { classPrepare } from './cluster-class.prepare.js';
import { ClusterClassReconciler } from './cluster-class.reconciler.js';

/** A pass looks at all clusters of its class: those that change at once are looked at together. */
const GATHER_MS = 1_000;

/** Everything that makes clusters of classes. */
export interface ClusterClassParts {
  readonly kinds: readonly ServedKind[];
  /** Fills clusters in. */
  readonly prepare: AdmissionHook;
  /** Judges clusters that are filled in. */
  readonly constraints: AdmissionHook;
  readonly preview: ClassPreview;
  readonly reconciler: RegisteredReconciler;
  /** What makes clusters look again how they stand to their class. */
  readonly wakesClusters: ReconcilerWatch;
}

/** Wires classes over the service's own resources. */
export function clusterClassParts(
  clients: ServiceClients,
  service: string,
  events: EventRecorder = new SilentEventRecorder(),
): ClusterClassParts {
  const classes = clients.for(CLUSTER_CLASS);
  const revisions = new ClassRevisions(clients.for(CLUSTER_CLASS_REVISION));
  const resolver = new ClassResolver(classes, revisions);
  const preview = new ClassPreview(resolver);
  const clusters = clients.for(CLUSTER);
  return {
    kinds: [
      {
        definition: CLUSTER_CLASS,
        nameFormat: 'dnsLabel',
        admit: [classAdmission({ clusters, preview })],
        subresources: { clusters: classClusters({ clusters, preview }) },
      },
      { definition: CLUSTER_CLASS_REVISION, admit: [revisionAdmission(service)] },
    ],
    prepare: classPrepare(resolver),
    constraints: constraintAdmission(resolver),
    preview,
    reconciler: {
      reconciler: new ClusterClassReconciler({ classes, clusters, revisions, preview, events }),
      kind: CLUSTER_CLASS,
      watches: [{ kind: CLUSTER, keysOf: classKeysOf(), gatherMs: GATHER_MS }],
    },
    // Gathered, so that they are kept until they are due: a generation is told once.
    wakesClusters: { kind: CLUSTER_CLASS, keysOf: usingClusterKeysOf(clusters), gatherMs: GATHER_MS },
  };
}
