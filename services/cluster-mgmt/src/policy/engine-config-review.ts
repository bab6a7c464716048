import type { KubernetesCluster, PolicyReviewRequest, PolicyViolation } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { policyDenied } from '@crate/messaging';
import type { EngineConfig } from '../engine/engine-config.js';

/** Asks whether an engine may be run with a configuration. */
export function engineConfigReview({ metadata }: KubernetesCluster, config: EngineConfig): PolicyReviewRequest {
  const { name, namespace = '' } = metadata;
  return { stage: 'EngineConfig', document: config, subject: { namespace, name } };
}

/** The refusal a person sees. */
export function engineConfigDenied(cluster: KubernetesCluster, violations: readonly PolicyViolation[]): PlatformError {
  const details = { kind: cluster.kind, name: cluster.metadata.name };
  return policyDenied({ name: 'The configuration of the engine', details }, violations);
}
