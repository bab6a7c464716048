import { KEPT_VOLUMES_ANNOTATION, type Infrastructure } from '@crate/api';
import { kubernetesClusterTag, OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';

/** Tag by which the controllers in the cluster know what is theirs at the provider, as key and value. */
export function clusterTagOf({ metadata, spec }: Infrastructure): readonly [string, string] {
  const { clusterName } = spec;
  return [kubernetesClusterTag({ clusterName, infrastructureUid: metadata.uid }), 'owned'];
}

/** Under which the runs, the log and the working files of their removal are kept. */
export function leftoversKey(infrastructureUid: string): string {
  return `leftovers-${infrastructureUid}`;
}

/**
 * Of what carries the cluster's tag, what the cluster itself made: Terraform's resources carry the owner's tag as well, and volumes
 * that are to outlive the cluster are named. Pure.
 */
export function leftoversOf(
  infrastructure: Infrastructure,
  listed: readonly OwnedResource[],
): readonly OwnedResource[] {
  const kept = new Set(keptVolumesOf(infrastructure));
  return listed.filter(({ id, tags }) => tags[OWNER_TAGS.infrastructureUid] === undefined && !kept.has(id));
}

/** Ids of volumes that outlive the cluster. */
export function keptVolumesOf({ metadata }: Infrastructure): readonly string[] {
  const text = metadata.annotations?.[KEPT_VOLUMES_ANNOTATION] ?? '';
  return text === '' ? [] : text.split(',');
}
