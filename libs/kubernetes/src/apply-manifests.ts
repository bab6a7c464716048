import { setTimeout as delay } from 'node:timers/promises';
import type { InventoryEntry, KubeObject, Manifest } from '@crate/api';
import { timeout } from '@crate/errors';
import { applyOrder, describeEntry, refOf, removalOrder } from './inventory.js';
import { isReady } from './readiness.js';
import { isKindNotServed } from './resource-paths.js';
import type { TargetCluster } from './target-cluster.js';
import { isRefusal } from './transport-errors.js';

export interface ManifestOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** How long to wait for a CRD to be established, or for one object to be gone. */
  readonly patienceMs?: number;
}

const POLL_MS = 200;

/**
 * Applies manifests in order, taking over fields others changed; waits for CRDs before their instances. What the cluster refuses
 * does not keep the rest out, which may be what it was refused for, such as the server of a webhook. Idempotent. Gives the objects
 * as stored; throws the first refusal once everything was tried, and anything else at once.
 */
export async function applyManifests(
  cluster: TargetCluster,
  manifests: readonly Manifest[],
  options: ManifestOptions,
): Promise<readonly KubeObject[]> {
  const applied: KubeObject[] = [];
  const refusals: unknown[] = [];
  const unserved = new Set<string>();
  for (const manifest of applyOrder(manifests)) {
    const kind = `${manifest.apiVersion} ${manifest.kind}`;
    if (unserved.has(kind)) continue; // Each would be waited for anew.
    try {
      applied.push(await applyManifest(cluster, manifest, options));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (isKindNotServed(error)) unserved.add(kind);
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw refusals[0];
  return applied;
}

/**
 * Takes objects away in reverse order, each one only after the ones that may depend on it are proved gone.
 * Gives what is left when one is still there after the patience: call again later. Idempotent.
 */
export async function removeInventory(
  cluster: TargetCluster,
  inventory: readonly InventoryEntry[],
  options: Omit<ManifestOptions, 'fieldManager'>,
): Promise<readonly InventoryEntry[]> {
  const order = removalOrder(inventory);
  for (const [index, entry] of order.entries()) {
    const live = await cluster.find(entry, options.signal);
    if (!live) continue;
    await cluster.remove(entry, options.signal);
    if (!(await isGoneInTime(cluster, entry, live.metadata.uid, options))) return order.slice(index);
  }
  return [];
}

async function applyManifest(
  cluster: TargetCluster,
  manifest: Manifest,
  options: ManifestOptions,
): Promise<KubeObject> {
  const { fieldManager, signal } = options;
  const object = await cluster.applyObject(manifest, { fieldManager, force: true }, signal);
  if (manifest.kind === 'CustomResourceDefinition') await awaitReady(cluster, object, options);
  return object;
}

async function awaitReady(cluster: TargetCluster, object: KubeObject, options: ManifestOptions): Promise<void> {
  const ref = refOf(object);
  const isDone = await pollUntil(options, async () => {
    const live = await cluster.find(ref, options.signal);
    return live !== undefined && isReady(live).ready;
  });
  if (!isDone) throw timeout(`${describeEntry(ref)} was not established in time`);
}

/** By uid: what a controller of the cluster makes anew, such as a namespace's default ServiceAccount, is not ours any more. */
async function isGoneInTime(
  cluster: TargetCluster,
  entry: InventoryEntry,
  uid: string,
  options: Omit<ManifestOptions, 'fieldManager'>,
): Promise<boolean> {
  return pollUntil(options, async () => (await cluster.find(entry, options.signal))?.metadata.uid !== uid);
}

async function pollUntil(
  options: Pick<ManifestOptions, 'signal' | 'patienceMs'>,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const patienceMs = options.patienceMs ?? 10_000;
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    if (await isDone()) return true;
    if (waitedMs >= patienceMs) return false;
    await delay(POLL_MS, undefined, { signal: options.signal });
  }
}
