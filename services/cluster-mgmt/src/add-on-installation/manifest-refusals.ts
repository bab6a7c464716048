import { hasCode, isPlatformError, PlatformError, toPlatformError } from '@crate/errors';
import { JOB_STILL_RUNS } from '@crate/kubernetes';
import { RECOVERING } from '@crate/service-host';
import { OBJECT_EXISTS } from './foreign-objects.js';

/** Refusals that do not come from the cluster, or say themselves what to do. */
const OURS = ['PolicyDenied', RECOVERING, OBJECT_EXISTS, JOB_STILL_RUNS];

/** What the cluster says of a namespace that is being deleted: nothing is made in it; once it is gone, it is made anew. No manifest is to be corrected for that. */
export function terminatingNamespace(error: unknown): string | undefined {
  if (!isPlatformError(error)) return undefined;
  return error.details.causes?.find(({ reason }) => reason === 'NamespaceTerminating')?.message;
}

/** What a failed apply surfaces as. A refusal by the cluster's own API server is about the add-on's manifests. */
export function explained(thrown: unknown): PlatformError {
  const error = toPlatformError(thrown);
  if (!hasCode(error, 'InvalidSpec', 'BadRequest', 'Forbidden', 'NotFound', 'UnsupportedMediaType')) return error;
  if (OURS.includes(error.details.reason ?? '')) return error;
  return new PlatformError(error.code, `The cluster refuses the add-on: ${error.message}`, {
    retry: error.retry === 'backoff' ? 'backoff' : 'slow',
    cause: error,
    details: {
      reason: 'ManifestRejected',
      field: 'spec.manifests',
      remedy: 'Correct the manifests of the add-on, or install what they depend on',
      ...(error.details.causes ? { causes: error.details.causes } : {}),
    },
  });
}
