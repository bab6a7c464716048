import type { Cluster, ClusterClass } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { forbidden } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { SubresourceReader } from '@crate/resource-server';
import { toldStandingOf, wasTakenBack } from './class-rollout.js';
import { distanceText, type ClassPreview, type StandingCluster } from './class-state.js';
import { usersOf } from './cluster-class.admission.js';

export interface ClassClustersPorts {
  readonly clusters: TypedClient<Cluster>;
  readonly preview: ClassPreview;
}

/** Every cluster of a class and what its newest revision would change there. For platform administrators: it names all Projects. */
export function classClusters({ clusters, preview }: ClassClustersPorts): SubresourceReader {
  return async (object, _ref, { caller }) => {
    const owner = object as ClusterClass;
    if (caller.service === undefined && !caller.groups.includes(PLATFORM_ADMIN_GROUP)) {
      throw forbidden(
        `clusterclasses "${owner.metadata.name}" is forbidden: the clusters of a class are for platform administrators`,
      );
    }
    const newest = await preview.newest(owner);
    const standing = await preview.statesUnder(await clusters.list(usersOf(owner)), newest);
    return {
      apiVersion: owner.apiVersion,
      kind: 'ClusterClassClusters',
      metadata: { name: owner.metadata.name, resourceVersion: owner.metadata.resourceVersion },
      revision: newest.revision,
      clusters: standing.map(shown),
    };
  };
}

function shown(standing: StandingCluster): unknown {
  const { metadata } = standing.cluster;
  const { revision, changes, notApplicable, refused, refusal = refused } = standing.state;
  const hindrance = hindranceOf(standing);
  const { namespace, name } = metadata;
  return {
    namespace,
    name,
    revision,
    standing: toldStandingOf(standing),
    changes,
    notApplicable,
    ...(refusal ? { refusal } : {}),
    ...(hindrance ? { hindrance } : {}),
  };
}

function hindranceOf({ cluster, state }: StandingCluster): string | undefined {
  if (wasTakenBack(cluster, state))
    return 'A rollout moved it towards the newest revision, and it was taken back before it was Ready';
  return state.distance && distanceText(state.distance);
}
