import { deletionForcedOf, type AddOnInstallation, type InventoryEntry } from '@crate/api';
import type { FoundBlocker } from '@crate/reconcile';

/** Stable reason of an object that was asked to go. */
const STILL_THERE = 'StillThere';
/** Stable reason of an object that goes once an add-on is gone whose deletion is held back. */
export const NEEDED_BY_ANOTHER = 'NeededByAnother';

/** Kind that says that an add-on is a driver of volumes. */
export const CSI_DRIVER = 'CSIDriver';
/** Kind that a driver makes no new volumes without. */
export const STORAGE_CLASS = 'StorageClass';

/**
 * True while the deletion of an add-on may not have begun to take anything away, as while volumes of its driver are in use: then it needs
 * what it has. One that waits for its objects, or for another add-on, is past that, so that no two wait for each other; and one that is
 * forced is held back by nothing, whatever its last pass has found.
 */
export function isHeldBack(installation: AddOnInstallation): boolean {
  const { metadata, spec, status } = installation;
  if (metadata.deletionTimestamp === undefined || deletionForcedOf(installation)) return false;
  const { deletion } = status ?? {};
  // Before its first pass nobody knows: only drivers are worth the wait.
  if (!deletion) return spec.manifests.some(({ kind }) => kind === CSI_DRIVER);
  return deletion.blockers.length > 0 && !deletion.blockers.some(isOfRemoval);
}

/** True while a deletion waits for objects that others went before. Classes are the first to go, and a driver is whole without them. */
export function hasBegunToGo({ status }: AddOnInstallation): boolean {
  const blockers = status?.deletion?.blockers ?? [];
  return blockers.some((blocker) => isOfRemoval(blocker) && blocker.kind !== STORAGE_CLASS);
}

function isOfRemoval({ reason }: Pick<FoundBlocker, 'reason'>): boolean {
  return reason === STILL_THERE || reason === NEEDED_BY_ANOTHER;
}

/** An object that was asked to go. */
export function stillThere(entry: InventoryEntry): FoundBlocker & { readonly remedy: string } {
  const { kind, name } = entry;
  // Its own finalizer is the API server's, which waits for theirs.
  const isOfInstances = kind === 'CustomResourceDefinition';
  const message = `Was asked to go, and is still there${isOfInstances ? ': its instances go first' : ''}`;
  const remedy = isOfInstances
    ? `Look at its instances and their finalizers: kubectl get ${name} -A. What took those off may have gone before`
    : 'Look at its finalizers and at what owns it in the cluster';
  return { kind, name: qualifiedName(entry), reason: STILL_THERE, message, remedy };
}

/** Why an object stays for now. */
export function neededByAnother(entry: InventoryEntry): FoundBlocker {
  return {
    kind: entry.kind,
    name: qualifiedName(entry),
    reason: NEEDED_BY_ANOTHER,
    message: 'Is needed by another add-on, whose own deletion is held back',
    remedy: 'Look at what the deletion of the other add-ons of this cluster waits for: it goes after them',
  };
}

/** The name of an object within its kind. */
export function qualifiedName({ namespace, name }: InventoryEntry): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
