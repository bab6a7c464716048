import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { InventoryEntry, KubeObject, Manifest } from '@crate/api';
import { timeout } from '@crate/errors';
import { applyOrder, describeEntry, removalOrder } from './inventory.js';
import { isReady } from './readiness.js';
import type { TargetCluster } from './target-cluster.js';

export interface ManifestOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** How long to wait for a CRD to be established, or for one object to be gone. */
  readonly patienceMs?: number;
}

const POLL_MS = 200;

/**
 * Applies manifests in order, taking over fields others changed; waits for CRDs before their instances.
 * Idempotent. Gives the objects as stored.
 */
export async function applyManifests(
  cluster: TargetCluster,
  manifests: readonly Manifest[],
  options: ManifestOptions,
): Promise<readonly KubeObject[]> {
  const applied: KubeObject[] = [];
  for (const manifest of applyOrder(manifests)) {
    const object = await cluster.applyObject(
      manifest,
      { fieldManager: options.fieldManager, force: true },
      options.signal,
    );
    if (manifest.kind === 'CustomResourceDefinition') await awaitReady(cluster, object, options);
    applied.push(object);
  }
  return applied;
}

/**
 * The manifests whose objects are absent or differ from what is stated in fields of ours. Writes nothing:
 * the cluster itself says what an apply would store, so defaulted and normalised values are no drift.
 */
export async function findDrift(
  cluster: TargetCluster,
  manifests: readonly Manifest[],
  options: ManifestOptions,
): Promise<readonly Manifest[]> {
  const drifted: Manifest[] = [];
  for (const manifest of applyOrder(manifests)) {
    const live = await cluster.find(refOf(manifest), options.signal);
    if (!live || (await wouldChange(cluster, live, manifest, options))) drifted.push(manifest);
  }
  return drifted;
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

async function wouldChange(
  cluster: TargetCluster,
  live: KubeObject,
  manifest: Manifest,
  options: ManifestOptions,
): Promise<boolean> {
  const preview = await cluster.applyObject(
    manifest,
    { fieldManager: options.fieldManager, force: true, dryRun: true },
    options.signal,
  );
  return !isDeepStrictEqual(desiredState(live), desiredState(preview));
}

/** An object without what the server keeps for itself. */
function desiredState(object: KubeObject): unknown {
  const { labels, annotations, ownerReferences, finalizers } = object.metadata;
  const rest: Record<string, unknown> = { ...object, metadata: { labels, annotations, ownerReferences, finalizers } };
  delete rest['status'];
  return rest;
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

function refOf(object: Manifest | KubeObject): InventoryEntry {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  };
}
