import type { InventoryEntry, KubeObject, Manifest } from '@crate/api';
import { hasCode, isPlatformError, PlatformError, timeout } from '@crate/errors';
import type { ManifestOptions } from './apply-manifests.js';
import { describeEntry, refOf } from './inventory.js';
import { isIdleJob } from './job-state.js';
import { removeInventory } from './remove-inventory.js';
import { takeOver } from './take-over.js';
import type { TargetCluster } from './target-cluster.js';

/** True when an apply was refused for what no cluster changes in a Job: it is to run once, as it was stated. */
export function isChangedJob({ apiVersion, kind }: Manifest, error: unknown): boolean {
  if (kind !== 'Job' || !apiVersion.startsWith('batch/') || !hasCode(error, 'InvalidSpec')) return false;
  return isPlatformError(error) && error.message.includes('field is immutable');
}

/** Stable reason of a Job that is to be made anew, and runs. */
export const JOB_STILL_RUNS = 'JobStillRuns';

/**
 * Makes a Job anew that has ended, or never started, so that it runs as it is stated now. One that runs is left to its end: throws
 * `JobStillRuns`, to be retried soon.
 */
export async function replaceJob(
  cluster: TargetCluster,
  manifest: Manifest,
  refusal: PlatformError,
  options: ManifestOptions,
): Promise<KubeObject> {
  const ref = refOf(manifest);
  const live = await cluster.find(ref, options.signal);
  if (live && !(await isIdleJob(cluster, live, options.signal))) throw stillRuns(ref, refusal);
  await options.beforeReplacing?.(describeEntry(ref));
  const left = await removeInventory(cluster, [ref], options);
  if (left.length > 0) throw timeout(`${describeEntry(ref)} was not gone in time`);
  return takeOver(cluster, manifest, { fieldManager: options.fieldManager, signal: options.signal });
}

function stillRuns(ref: InventoryEntry, cause: PlatformError): PlatformError {
  const text = `${describeEntry(ref)} still runs as it was stated before, and is made anew at its end`;
  const where = ref.namespace === undefined ? '' : ` -n ${ref.namespace}`;
  const remedy = `Wait for its end, or end it: kubectl delete job ${ref.name}${where}`;
  return new PlatformError(cause.code, text, { retry: 'backoff', details: { reason: JOB_STILL_RUNS, remedy }, cause });
}
