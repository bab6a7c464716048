import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, Manifest } from '@crate/api';
import { someAtATime } from '@crate/reconcile';
import type { ManifestOptions } from './apply-manifests.js';
import { applyOrder, refOf } from './inventory.js';
import { takeOver } from './take-over.js';
import type { TargetCluster } from './target-cluster.js';
import { isRefusal } from './transport-errors.js';

/** A look takes nothing from the others; more would only wait at the API server. */
const AT_A_TIME = 8;

/** A manifest that is to be applied. */
export interface Drift {
  readonly manifest: Manifest;
  /** Its object is absent or differs; false when the cluster refused to say. */
  readonly isSeen: boolean;
}

/**
 * The manifests whose objects are absent or differ from what is stated in fields of ours. Writes nothing:
 * the cluster itself says what an apply would store, so defaulted and normalised values are no drift.
 *
 * What it refuses to say counts as drift: the CRD that does not know a field yet, or the webhook whose server is gone, may be among
 * what is to be applied first. Applying tells.
 */
export async function findDrift(
  cluster: TargetCluster,
  manifests: readonly Manifest[],
  options: ManifestOptions,
): Promise<readonly Drift[]> {
  const compared = await someAtATime(applyOrder(manifests), AT_A_TIME, async (manifest) => ({
    manifest,
    isSame: await compare(cluster, manifest, options),
  }));
  return compared
    .filter(({ isSame }) => isSame !== true)
    .map(({ manifest, isSame }) => ({ manifest, isSeen: isSame === false }));
}

/** Whether an apply would store nothing new; undefined when the cluster refuses to say, as things are. */
async function compare(
  cluster: TargetCluster,
  manifest: Manifest,
  { fieldManager, signal }: ManifestOptions,
): Promise<boolean | undefined> {
  try {
    const live = await cluster.find(refOf(manifest), signal);
    if (!live) return false;
    const preview = await takeOver(cluster, manifest, { fieldManager, signal, dryRun: true });
    return isDeepStrictEqual(desiredState(live), desiredState(preview));
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** An object without what the server keeps for itself. */
function desiredState(object: KubeObject): unknown {
  const { labels, annotations, ownerReferences, finalizers } = object.metadata;
  const rest: Record<string, unknown> = { ...object, metadata: { labels, annotations, ownerReferences, finalizers } };
  delete rest['status'];
  return rest;
}
