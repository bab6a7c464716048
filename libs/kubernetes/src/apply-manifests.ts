import type { KubeObject, Manifest } from '@crate/api';
import { PlatformError, timeout, toPlatformError } from '@crate/errors';
import { isHeldBack } from './held-back.js';
import { applyOrder, describeEntry, refOf } from './inventory.js';
import { pollUntil } from './poll-until.js';
import { isReady } from './readiness.js';
import { isKindNotServed } from './resource-paths.js';
import { isChangedJob, replaceJob } from './replace-job.js';
import { takeOver } from './take-over.js';
import type { TargetCluster } from './target-cluster.js';
import { isRefusal } from './transport-errors.js';

/** Fields that others own are taken over, whoever they are. */
export interface ManifestOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** How long to wait for a CRD to be established, or for one object to be gone. Default 10,000. */
  readonly patienceMs?: number;
  /** Told before a Job is taken away to be made anew, which it may forbid by throwing. Absent: none is. */
  readonly beforeReplacing?: (what: string) => Promise<void>;
}

/**
 * Applies manifests in order, taking over fields others changed; waits for CRDs before their instances. What the cluster refuses
 * does not keep the rest out, which may be what it was refused for, such as the server of a webhook; but a new webhook is then held
 * back. A Job that has ended, or never started, is made anew where that is allowed, since no cluster changes one. Idempotent. Gives the
 * objects as stored; throws the first refusal once everything was tried, to be retried soon when anything was applied, and anything else at once.
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
      if (await isHeldBack(cluster, manifest, { refusals, signal: options.signal })) continue;
      applied.push(await applyManifest(cluster, manifest, options));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (isKindNotServed(error)) unserved.add(kind);
      refusals.push(error);
    }
  }
  if (refusals.length === 0) return applied;
  throw applied.length === 0 ? refusals[0] : soon(refusals[0]);
}

/** An API server takes up a new CRD, and a new webhook answers, some moments after it was applied. */
function soon(thrown: unknown): PlatformError {
  const error = toPlatformError(thrown);
  return new PlatformError(error.code, error.message, { retry: 'backoff', details: error.details, cause: error });
}

async function applyManifest(
  cluster: TargetCluster,
  manifest: Manifest,
  options: ManifestOptions,
): Promise<KubeObject> {
  const { fieldManager, signal } = options;
  const object = await takeOver(cluster, manifest, { fieldManager, signal }).catch((error: unknown) => {
    if (!options.beforeReplacing || !isChangedJob(manifest, error)) throw error;
    return replaceJob(cluster, manifest, toPlatformError(error), options);
  });
  if (manifest.kind === 'CustomResourceDefinition') await awaitReady(cluster, object, options);
  return object;
}

async function awaitReady(cluster: TargetCluster, object: KubeObject, options: ManifestOptions): Promise<void> {
  const ref = refOf(object);
  let why = '';
  const isDone = await pollUntil(options, async () => {
    const live = await cluster.find(ref, options.signal);
    const readiness = live && isReady(live);
    why = readiness?.ready === false ? readiness.message : 'it is not there any more';
    return readiness?.ready === true;
  });
  if (!isDone) throw timeout(`${describeEntry(ref)} was not established in time: ${why}`);
}
