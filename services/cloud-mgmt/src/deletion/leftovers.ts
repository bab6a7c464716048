import {
  KEEP_VOLUMES_ANNOTATION,
  KEPT_VOLUMES_ANNOTATION,
  REMOVE_VOLUMES_ANNOTATION,
  type Infrastructure,
} from '@crate/api';
import { kubernetesClusterTag, OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';

const VOLUME = 'aws_ebs_volume';

/** Tag by which the controllers in the cluster know what is theirs at the provider, as key and value. */
export function clusterTagOf({ metadata, spec }: Infrastructure): readonly [string, string] {
  const { clusterName } = spec;
  return [kubernetesClusterTag({ clusterName, infrastructureUid: metadata.uid }), 'owned'];
}

/** Under which the runs, the log and the working files of their removal are kept. */
export function leftoversKey(infrastructureUid: string): string {
  return `leftovers-${infrastructureUid}`;
}

/** What the cluster itself made, by what is to become of it. */
export interface Leftovers {
  /** Goes with the cluster. */
  readonly removable: readonly OwnedResource[];
  /** Volumes of which nobody could see whether they are to outlive the cluster, and that nobody has named. */
  readonly undecided: readonly OwnedResource[];
}

/**
 * Of what carries the cluster's tag, what the cluster itself made: Terraform's resources carry the owner's tag as well. Volumes that are
 * to outlive the cluster are in neither list. Pure.
 */
export function leftoversOf(infrastructure: Infrastructure, listed: readonly OwnedResource[]): Leftovers {
  const { annotations = {} } = infrastructure.metadata;
  const kept = new Set(keptVolumesOf(infrastructure));
  const named = new Set(idsIn(annotations[REMOVE_VOLUMES_ANNOTATION]));
  const isKnown = annotations[KEPT_VOLUMES_ANNOTATION] !== undefined;
  const own = listed.filter(({ id, tags }) => tags[OWNER_TAGS.infrastructureUid] === undefined && !kept.has(id));
  const isDecided = ({ type, id }: OwnedResource): boolean => type !== VOLUME || isKnown || named.has(id);
  return { removable: own.filter(isDecided), undecided: own.filter((one) => !isDecided(one)) };
}

/** Ids of volumes that outlive the cluster: by their reclaim policy, unless a person names them to go, or because one says so. */
export function keptVolumesOf({ metadata: { annotations = {} } }: Infrastructure): readonly string[] {
  const named = new Set(idsIn(annotations[REMOVE_VOLUMES_ANNOTATION]));
  const byPolicy = idsIn(annotations[KEPT_VOLUMES_ANNOTATION]).filter((id) => !named.has(id));
  return [...new Set([...byPolicy, ...idsIn(annotations[KEEP_VOLUMES_ANNOTATION])])];
}

function idsIn(text = ''): readonly string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
