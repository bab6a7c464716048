import type { Cluster, PolicyOperation, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { PlatformError, RetryPolicy } from '@crate/errors';
import { NOT_JUDGED, policyDenied, policyWarning, userInfoOf } from '@crate/messaging';
import type { Caller } from '@crate/resource-client';

/** What is said of a cluster besides itself. */
export interface ReviewedAs {
  /** Absent: it is there, as it is. */
  readonly operation?: PolicyOperation;
  /** As it is stored. */
  readonly before?: Cluster | undefined;
  /** Who asks for it; passes ask for nobody, and neither does a service on its own account. */
  readonly caller?: Caller;
  readonly dryRun?: boolean;
  /** Of its account, where it is known. */
  readonly provider?: string | undefined;
  readonly remember?: true;
}

/** Asks whether a cluster may be as its spec and its labels say, or may go. */
export function clusterReview(cluster: Cluster, as: ReviewedAs = {}): PolicyReviewRequest {
  const { name, namespace = '', labels } = cluster.metadata;
  const { operation, before, caller, dryRun, provider, remember } = as;
  return {
    stage: 'ClusterSpec',
    ...(operation ? { operation } : {}),
    document: documentOf(cluster),
    ...(before ? { oldDocument: documentOf(before) } : {}),
    subject: {
      namespace,
      name,
      engine: cluster.spec.kubernetes.engine,
      ...(labels ? { labels } : {}),
      ...(provider === undefined ? {} : { provider }),
    },
    ...userInfoOf(caller),
    ...(dryRun ? { dryRun } : {}),
    ...(remember ? { remember } : {}),
  };
}

/** What a person writes. Annotations are tools' notes, and consent to a deletion, which no rule may stand in the way of. */
function documentOf({ apiVersion, kind, metadata, spec }: Cluster): Readonly<Record<string, unknown>> {
  const { name, namespace = '', labels } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, ...(labels ? { labels } : {}) }, spec };
}

export interface DenialOptions {
  /** As the subject of a sentence; absent: the cluster. */
  readonly what?: string;
  readonly retry?: RetryPolicy;
}

/** The refusal a person sees; undefined when allowed. */
export function denialOf(
  { metadata: { name } }: Pick<Cluster, 'metadata'>,
  { allowed, violations }: PolicyReviewResponse,
  { what = `Cluster "${name}"`, retry = 'never' }: DenialOptions = {},
): PlatformError | undefined {
  if (allowed) return undefined;
  const details = { kind: 'clusters', group: 'lifecycle.crate.dev', name };
  return policyDenied({ name: what, details, retry }, violations);
}

/** What a person is told whose cluster is allowed. */
export function reviewWarnings({ violations, unanswered }: PolicyReviewResponse): readonly string[] {
  return [...violations.map(policyWarning), ...(unanswered ? [NOT_JUDGED] : [])];
}
