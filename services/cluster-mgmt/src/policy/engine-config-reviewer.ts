import type { KubernetesCluster, PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { ServiceCaller } from '@crate/messaging';
import type { ReconcileContext } from '@crate/reconcile';
import type { EngineConfig } from '../engine/engine-config.js';

const REVIEW_TIMEOUT_MS = 5000;

/** Answers whether an engine may be run with a configuration. */
export abstract class EngineConfigReviewer {
  /**
   * Throws Forbidden (`PolicyDenied`) when a rule of level `must` is broken; Unavailable or Timeout without a verdict,
   * which must never count as allowed.
   */
  abstract review(cluster: KubernetesCluster, config: EngineConfig, context: ReconcileContext): Promise<void>;
}

/** Asks policy-mgmt. */
export class ServiceEngineConfigReviewer extends EngineConfigReviewer {
  constructor(private readonly services: ServiceCaller) {
    super();
  }

  override async review(cluster: KubernetesCluster, config: EngineConfig, context: ReconcileContext): Promise<void> {
    const { name, namespace = '' } = cluster.metadata;
    const request: PolicyReviewRequest = { stage: 'EngineConfig', document: config, subject: { namespace, name } };
    const response = await this.services.call<PolicyReviewResponse>(
      'policy-mgmt',
      'review',
      request,
      {
        caller: { user: 'system:cluster-mgmt', groups: [], service: 'cluster-mgmt' },
        traceId: context.traceId,
        signal: context.remoteSignal,
      },
      REVIEW_TIMEOUT_MS,
    );
    if (!response.allowed) throw policyDenied(cluster, response);
  }
}

/** The refusal a person sees, naming rule, level, field and remedy of every broken `must` rule. */
export function policyDenied(cluster: KubernetesCluster, { violations }: PolicyReviewResponse): PlatformError {
  const broken = violations.filter((violation) => violation.level === 'must');
  const causes = broken.map(({ policy, level, field, message, remedy }) => ({
    reason: 'PolicyViolation',
    field,
    message: `${message} (policy ${policy}, level ${level}): ${remedy}`,
  }));
  const [first] = broken;
  const summary = causes.map((cause) => `${cause.field}: ${cause.message}`).join('; ');
  return new PlatformError('Forbidden', `The configuration of the engine is denied by policy: ${summary}`, {
    retry: 'never',
    details: {
      kind: cluster.kind,
      name: cluster.metadata.name,
      reason: 'PolicyDenied',
      causes,
      ...(first ? { field: first.field, remedy: first.remedy } : {}),
    },
  });
}
