import type { InventoryEntry, KubeObject } from '@crate/api';
import { removalOrder } from './inventory.js';
import { pollUntil, type Patience } from './poll-until.js';
import type { TargetCluster } from './target-cluster.js';

/** The patience is for each object, not for all of them. */
export interface RemovalOptions extends Patience {
  /** What is to stay: an object that one of these finds is not taken away, however else it is called in the inventory. */
  readonly stated?: readonly InventoryEntry[];
  /** True for an error that leaves one object where it is and keeps no other; the first error is thrown otherwise. */
  readonly passesOver?: (error: unknown) => boolean;
  /** True once no other object is asked to go. Asked before each. */
  readonly isOver?: () => boolean;
}

/**
 * Takes objects away in reverse order, each one only after the ones that may depend on it are proved gone.
 * Gives what is left when one is still there after the patience, or it is over, and what was passed over: call again later. Idempotent.
 */
export async function removeInventory(
  cluster: TargetCluster,
  inventory: readonly InventoryEntry[],
  options: RemovalOptions,
): Promise<readonly InventoryEntry[]> {
  const order = removalOrder(inventory);
  const passedOver: InventoryEntry[] = [];
  for (const [index, entry] of order.entries()) {
    if (options.isOver?.()) return [...passedOver, ...order.slice(index)];
    try {
      if (!(await isRemoved(cluster, entry, options))) return [...passedOver, ...order.slice(index)];
    } catch (error) {
      if (!options.passesOver?.(error)) throw error;
      passedOver.push(entry);
    }
  }
  return passedOver;
}

/** True when it is gone, or is to stay. */
async function isRemoved(cluster: TargetCluster, entry: InventoryEntry, options: RemovalOptions): Promise<boolean> {
  const live = await cluster.find(entry, options.signal);
  if (!live || (await isStated(cluster, live, options))) return true;
  await cluster.remove(entry, options.signal);
  return isGoneInTime(cluster, entry, live.metadata.uid, options);
}

/**
 * By uid, since only the cluster knows that two names are of one object: a namespace may be left out where it is `default`, or stated of
 * what has none, and some kinds stand in two groups.
 */
async function isStated(
  cluster: TargetCluster,
  { kind, metadata: { name, uid } }: KubeObject,
  { stated = [], signal }: RemovalOptions,
): Promise<boolean> {
  for (const entry of stated.filter((other) => other.kind === kind && other.name === name)) {
    if ((await cluster.find(entry, signal))?.metadata.uid === uid) return true;
  }
  return false;
}

/** By uid: what a controller of the cluster makes anew, such as a namespace's default ServiceAccount, is not ours any more. */
function isGoneInTime(
  cluster: TargetCluster,
  entry: InventoryEntry,
  uid: string,
  options: RemovalOptions,
): Promise<boolean> {
  return pollUntil(options, async () => (await cluster.find(entry, options.signal))?.metadata.uid !== uid);
}
