import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { isObject } from '../apply/json.js';

/** The name of the subresource that reads and sets the number of replicas. */
export const SCALE = 'scale';

/** A workload's replicas. Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ (autoscaling/v1 Scale) */
export function toScale({ metadata, spec, status }: KubeObject): unknown {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const wanted = isObject(spec) ? spec : {};
  const observed = isObject(status) ? status : {};
  const labels = isObject(wanted.selector) ? wanted.selector.matchLabels : undefined;
  const selector = Object.entries(isObject(labels) ? labels : {}).map(([key, value]) => `${key}=${String(value)}`);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: wanted.replicas ?? 1 },
    status: { replicas: observed.replicas ?? 0, selector: selector.join(',') },
  };
}

/** The merge patch on the workload that a written Scale, or a merge patch of it, means. */
export function fromScale(document: unknown): unknown {
  const { spec, metadata } = isObject(document) ? document : {};
  const replicas = isObject(spec) ? spec.replicas : undefined;
  if (!Number.isInteger(replicas) || Number(replicas) < 0) throw badRequest('spec.replicas must be a whole number');
  const resourceVersion = isObject(metadata) ? metadata.resourceVersion : undefined;
  return { ...(resourceVersion ? { metadata: { resourceVersion } } : {}), spec: { replicas } };
}
