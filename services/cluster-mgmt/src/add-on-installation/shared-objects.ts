import { isDeepStrictEqual } from 'node:util';
import {
  CLUSTER_DELETION_ANNOTATION,
  deletionForcedOf,
  type AddOnInstallation,
  type InventoryEntry,
  type Manifest,
} from '@crate/api';
import { conflict, hasCode } from '@crate/errors';
import { describeEntry, inventoryOf, mergeInventories, neededBy, pruneSet } from '@crate/kubernetes';
import { saveStatusIfChanged } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { addOnsOfCluster } from './add-ons-of-cluster.js';
import { isHeldBack } from './held-back.js';

/** What of an add-on's objects others in its cluster keep. */
export interface SharedObjects {
  readonly kept: readonly InventoryEntry[];
  /** What may go once others have gone, whose deletion is held back. */
  readonly awaited: readonly InventoryEntry[];
  /** All that others state, or have there. */
  readonly stated: readonly InventoryEntry[];
}

/** The other add-ons that stay in the same cluster. */
export async function othersInCluster(
  installations: TypedClient<AddOnInstallation>,
  installation: AddOnInstallation,
): Promise<readonly AddOnInstallation[]> {
  return (await allOthers(installations, installation)).filter(isToStay);
}

async function allOthers(
  installations: TypedClient<AddOnInstallation>,
  { metadata, spec }: AddOnInstallation,
): Promise<readonly AddOnInstallation[]> {
  const { namespace, labels, uid } = metadata;
  const all = await addOnsOfCluster(installations, { name: spec.clusterRef.name, namespace, labels });
  return all.filter((other) => other.metadata.uid !== uid);
}

function isWithItsCluster({ metadata }: AddOnInstallation): boolean {
  return metadata.annotations?.[CLUSTER_DELETION_ANNOTATION] !== undefined;
}

function isToStay({ metadata }: AddOnInstallation): boolean {
  return metadata.deletionTimestamp === undefined;
}

/**
 * What of `entries` stays when the installation lets go of them. What another one needs that has not put it there itself is written
 * into its inventory first, so that it goes with that one. Of two that are deleted at the same time, neither keeps anything,
 * but for one whose deletion is held back: what it needs is waited for, and handed over to nobody but by one that is forced, which waits for
 * nothing, or that goes before its cluster, which may be what the other one waits for. Throws Conflict when the other is changed meanwhile. Idempotent.
 */
export async function shareObjects(
  installations: TypedClient<AddOnInstallation>,
  installation: AddOnInstallation,
  entries: readonly InventoryEntry[],
): Promise<SharedObjects> {
  const all = await allOthers(installations, installation);
  const mayNotWait = deletionForcedOf(installation) !== undefined || isWithItsCluster(installation);
  const others = all.filter((other) => isToStay(other) || (mayNotWait && isHeldBack(other)));
  const kept = neededBy(others.flatMap(statedBy), entries);
  let unheld = others.reduce((rest, { status }) => pruneSet(rest, status?.inventory ?? []), kept);
  for (const other of others) {
    const needed = neededBy(statedBy(other), unheld);
    if (needed.length === 0) continue;
    const inventory = [...mergeInventories(needed, other.status?.inventory ?? [])];
    await saveStatusIfChanged(installations, other, { ...other.status, inventory }).catch(lostRace);
    unheld = pruneSet(unheld, needed);
  }
  // One that stays waits for nobody: it would never end to.
  const held = isToStay(installation) ? [] : all.filter(isHeldBack);
  const awaited = pruneSet(neededBy(held.flatMap(statedBy), entries), kept);
  return { kept, awaited, stated: [...others, ...held].flatMap(statedBy) };
}

/** One that is gone by now needs nothing: all is looked at anew. */
function lostRace(error: unknown): never {
  throw hasCode(error, 'NotFound') ? conflict('An add-on that shares objects is gone') : error;
}

/** What others state differently, in words. Each of them sets the object to what it states. */
export function contestedObjects(
  manifests: readonly Manifest[],
  others: readonly AddOnInstallation[],
): readonly string[] {
  return others.flatMap(({ metadata, spec }) => {
    const differing = manifests.filter((manifest) => {
      const theirs = spec.manifests.find((other) => isOfSameObject(other, manifest));
      return theirs !== undefined && !isDeepStrictEqual(theirs, manifest);
    });
    if (differing.length === 0) return [];
    return [`${inventoryOf(differing).map(describeEntry).join(', ')} by AddOnInstallation ${metadata.name}`];
  });
}

function isOfSameObject(left: Manifest, right: Manifest): boolean {
  return left.metadata.name === right.metadata.name && pruneSet(inventoryOf([left]), inventoryOf([right])).length === 0;
}

function statedBy({ spec, status }: AddOnInstallation): readonly InventoryEntry[] {
  return mergeInventories(status?.inventory ?? [], inventoryOf(spec.manifests));
}
