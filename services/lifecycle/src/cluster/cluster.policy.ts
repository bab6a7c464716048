import type { Cluster, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { policyDenied } from '@crate/messaging';

/** Asks whether a cluster may be as its spec says. */
export function clusterReview({ apiVersion, kind, metadata, spec }: Cluster): PolicyReviewRequest {
  const { name, namespace = '' } = metadata;
  const document = { apiVersion, kind, metadata: { name, namespace }, spec };
  return { stage: 'ClusterSpec', document, subject: { namespace, name } };
}

/** The refusal a person sees; undefined when allowed. */
export function denialOf(
  { metadata: { name } }: Pick<Cluster, 'metadata'>,
  { allowed, violations }: PolicyReviewResponse,
): PlatformError | undefined {
  if (allowed) return undefined;
  const details = { kind: 'clusters', group: 'lifecycle.crate.dev', name };
  return policyDenied({ name: `Cluster "${name}"`, details }, violations);
}
