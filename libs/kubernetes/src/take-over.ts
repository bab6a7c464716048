import type { KubeObject, Manifest } from '@crate/api';
import { hasCode, PlatformError, toPlatformError } from '@crate/errors';
import type { ManifestOptions } from './apply-manifests.js';
import type { TargetCluster } from './target-cluster.js';

const TRIES = 3;

type TakeOverOptions = Pick<ManifestOptions, 'fieldManager' | 'signal'> & { readonly dryRun?: true };

/**
 * Applies one object, fields of others included. No owner of a field is in the way of that: a conflict is a lost race, such as for a
 * quota, and tried again at once, or else a refusal of what is stated, such as another `uid`: throws InvalidSpec, to be retried soon.
 */
export async function takeOver(
  cluster: TargetCluster,
  manifest: Manifest,
  { signal, ...options }: TakeOverOptions,
): Promise<KubeObject> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await cluster.applyObject(manifest, { ...options, force: true }, signal);
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'AlreadyExists')) throw error;
      if (tried >= TRIES) throw refusalOf(toPlatformError(error));
    }
  }
}

function refusalOf(cause: PlatformError): PlatformError {
  return new PlatformError('InvalidSpec', cause.message, { retry: 'backoff', details: cause.details, cause });
}
