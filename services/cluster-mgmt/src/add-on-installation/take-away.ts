import type { AddOnInstallation, InventoryEntry } from '@crate/api';
import { pruneSet, removeInventory, type RemovalOptions } from '@crate/kubernetes';
import type { PolicyReviewer } from '@crate/messaging';
import type { ReconcileContext } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { forgetManifests } from '../policy/gone-manifests.js';
import type { AddOnInstallationScope } from './add-on-installation.scope.js';
import { shareObjects } from './shared-objects.js';

export interface TakeAwayParts {
  readonly installations: TypedClient<AddOnInstallation>;
  /** Told what is gone. */
  readonly policies: Pick<PolicyReviewer, 'forget'>;
}

export interface Removal extends Pick<RemovalOptions, 'passesOver' | 'isOver'> {
  readonly entries: readonly InventoryEntry[];
  /** What the add-on itself goes on to state. */
  readonly stated?: readonly InventoryEntry[];
  /** How long one pass waits for one object to be gone. */
  readonly patienceMs: number;
}

/** What is left of a removal, in the order it is to go in. */
export interface Left {
  /** As `removeInventory` gives it. */
  readonly left: readonly InventoryEntry[];
  /** What may go once other add-ons have gone. */
  readonly awaited: readonly InventoryEntry[];
}

/** Takes objects out of the cluster, but for what other add-ons in it need. Idempotent. */
export async function takeAway(
  { installations, policies }: TakeAwayParts,
  { target, cluster, installation }: AddOnInstallationScope,
  { entries, stated = [], ...removal }: Removal,
  context: ReconcileContext,
): Promise<Left> {
  if (!target || entries.length === 0) return { left: [], awaited: [] };
  const { kept, awaited, ...others } = await shareObjects(installations, installation, entries);
  const going = pruneSet(entries, [...kept, ...awaited]);
  const options = { ...removal, stated: [...stated, ...others.stated], signal: context.remoteSignal };
  const left = await removeInventory(target, going, options);
  await forgetManifests(policies, cluster, pruneSet(going, left), context);
  return { left, awaited: awaited.toReversed() };
}
