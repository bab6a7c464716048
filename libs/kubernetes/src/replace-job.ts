import type { KubeObject, Manifest } from '@crate/api';
import { hasCode, isPlatformError, PlatformError, timeout } from '@crate/errors';
import type { ManifestOptions } from './apply-manifests.js';
import { describeEntry, refOf } from './inventory.js';
import { removeInventory } from './remove-inventory.js';
import type { TargetCluster } from './target-cluster.js';

/** True when an apply was refused for what no cluster changes in a Job: it is to run once, as it was stated. */
export function isChangedJob({ apiVersion, kind }: Manifest, error: unknown): boolean {
  if (kind !== 'Job' || !apiVersion.startsWith('batch/') || !hasCode(error, 'InvalidSpec')) return false;
  return isPlatformError(error) && error.message.includes('field is immutable');
}

/** Makes a Job anew that has ended, so that it runs as it is stated now. One that runs is left to its end: throws the refusal, to be retried soon. */
export async function replaceJob(
  cluster: TargetCluster,
  manifest: Manifest,
  refusal: PlatformError,
  options: ManifestOptions,
): Promise<KubeObject> {
  const ref = refOf(manifest);
  const live = await cluster.find(ref, options.signal);
  if (live && !hasEnded(live)) {
    const text = `${describeEntry(ref)} still runs as it was stated before, and is made anew at its end`;
    throw new PlatformError(refusal.code, text, { retry: 'backoff', details: refusal.details, cause: refusal });
  }
  await options.beforeReplacing?.(describeEntry(ref));
  const left = await removeInventory(cluster, [ref], options);
  if (left.length > 0) throw timeout(`${describeEntry(ref)} was not gone in time`);
  return cluster.applyObject(manifest, { fieldManager: options.fieldManager, force: true }, options.signal);
}

function hasEnded({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'));
}
