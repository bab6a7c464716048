import type { KubernetesCluster, PolicyOperation, PolicyReviewRequest, PolicyViolation } from '@crate/api';
import type { PlatformError } from '@crate/errors';
import { policyDenied } from '@crate/messaging';
import type { EngineConfig } from '../engine/engine-config.js';
import { clusterSubject } from './cluster-subject.js';

/** Asks whether an engine may be run with a configuration. Without an operation: what it was run with stands. */
export function engineConfigReview(
  cluster: KubernetesCluster,
  config: EngineConfig,
  operation?: PolicyOperation,
): PolicyReviewRequest {
  const { name } = cluster.metadata;
  return {
    stage: 'EngineConfig',
    ...(operation ? { operation } : {}),
    document: config,
    subject: { ...clusterSubject(cluster), name },
    remember: true,
  };
}

/** The refusal a person sees. */
export function engineConfigDenied(cluster: KubernetesCluster, violations: readonly PolicyViolation[]): PlatformError {
  const details = { kind: cluster.kind, name: cluster.metadata.name };
  // A policy may change as well as the spec.
  return policyDenied({ name: 'The configuration of the engine', details, retry: 'slow' }, violations);
}
