import type { KubeObject } from '../object/object.js';
import type { DeletionForced } from './deletion.js';

/** An administrator of the Project says with it why what blocks a deletion may be left behind. */
export const FORCE_ANNOTATION = 'lifecycle.crate.dev/force-deletion';
/** Kept by the server: when that was said, and by whom. */
export const FORCED_ANNOTATION = 'lifecycle.crate.dev/deletion-forced';

/**
 * Said to an Infrastructure: ids of volumes that its cluster made and that outlive it, with commas between them. Empty: none of them; absent:
 * nobody could see what is to become of them.
 */
export const KEPT_VOLUMES_ANNOTATION = 'cloud.crate.dev/kept-volumes';
/** A person says which volumes go with a cluster: ids at the provider, with commas between them. */
export const REMOVE_VOLUMES_ANNOTATION = 'lifecycle.crate.dev/remove-volumes';
/** A person says which volumes outlive a cluster, in the same form. */
export const KEEP_VOLUMES_ANNOTATION = 'lifecycle.crate.dev/keep-volumes';

/** Said to an AddOnInstallation: since when its Cluster is being deleted, so that what is in it goes in any case. */
export const CLUSTER_DELETION_ANNOTATION = 'lifecycle.crate.dev/cluster-deletion';

/** Who gave up what blocks the deletion of this object; undefined while nobody did, or the server does not know of it. */
export function deletionForcedOf({ metadata }: KubeObject): DeletionForced | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const { [FORCE_ANNOTATION]: reason, [FORCED_ANNOTATION]: record } = metadata.annotations ?? {};
  const [, at, by] = /^(\S+) (.+)$/s.exec(record ?? '') ?? [];
  if (reason === undefined || at === undefined || by === undefined) return undefined;
  return { by, reason, at };
}
