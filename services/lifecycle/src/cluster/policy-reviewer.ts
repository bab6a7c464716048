import type { Cluster, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import type { ServiceCaller } from '@crate/messaging';
import type { Caller } from '@crate/resource-client';

/** Who asks and under which trace. */
export interface ReviewContext {
  readonly traceId: string;
  readonly caller?: Caller;
  readonly remoteSignal?: AbortSignal;
}

/** Answers whether a cluster may be as its spec says. */
export abstract class PolicyReviewer {
  /** Throws Unavailable or Timeout when there is no verdict; that must never count as allowed. */
  abstract review(cluster: Cluster, context: ReviewContext): Promise<PolicyReviewResponse>;
}

const REVIEW_TIMEOUT_MS = 5_000;

/** Asks policy-mgmt over NATS. */
export class NatsPolicyReviewer extends PolicyReviewer {
  constructor(private readonly services: ServiceCaller) {
    super();
  }

  async review(cluster: Cluster, context: ReviewContext): Promise<PolicyReviewResponse> {
    const { name, namespace = '' } = cluster.metadata;
    const request: PolicyReviewRequest = {
      stage: 'ClusterSpec',
      document: {
        apiVersion: cluster.apiVersion,
        kind: cluster.kind,
        metadata: { name, namespace },
        spec: cluster.spec,
      },
      subject: { namespace, name },
    };
    const caller = context.caller ?? { user: 'system:lifecycle', groups: [], service: 'lifecycle' };
    return this.services.call(
      'policy-mgmt',
      'review',
      request,
      {
        caller,
        traceId: context.traceId,
        ...(context.remoteSignal ? { signal: context.remoteSignal } : {}),
      },
      REVIEW_TIMEOUT_MS,
    );
  }
}
