import { type KubeObject, type ObjectMeta, isJsonObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { SubresourceHandler } from '../kinds/served-kind.js';

/** What a Scale says. */
export interface ScaleFacts {
  readonly metadata: ObjectMeta;
  /** How many are asked for, and how many there are. */
  readonly desired: number;
  readonly observed: number;
  readonly selector: string;
}

/** A Scale as a client wrote it. */
export interface WrittenScale {
  readonly replicas: number;
  /** The write is for this version, or this object, only. */
  readonly resourceVersion?: string;
  readonly uid?: string;
}

/** Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ (autoscaling/v1 Scale) */
export function scaleObject({ metadata, desired, observed, selector }: ScaleFacts): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ObjectMeta,
    spec: { replicas: desired },
    status: { replicas: observed, selector },
  };
}

/** What a written Scale, whole or the part of it that changes, asks for. Throws BadRequest. */
export function writtenScale(document: unknown): WrittenScale {
  const { spec, metadata } = isJsonObject(document) ? document : {};
  const replicas = isJsonObject(spec) ? spec.replicas : undefined;
  if (!Number.isSafeInteger(replicas) || Number(replicas) < 0) {
    throw badRequest('spec.replicas of a Scale must be a whole number of at least 0');
  }
  const { resourceVersion, uid } = isJsonObject(metadata) ? metadata : {};
  return {
    replicas: Number(replicas),
    ...(typeof resourceVersion === 'string' && resourceVersion !== '' ? { resourceVersion } : {}),
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
  };
}

/** The scale of a workload as Kubernetes has them: `spec.replicas`, set by a merge patch. */
export function workloadScale(api: ResourceApi): SubresourceHandler {
  return {
    read: (object) => Promise.resolve(scaleOfWorkload(object)),
    write: async (_object, ref, { body, dryRun, fieldManager }, context) => {
      const { replicas, ...metadata } = writtenScale(body);
      const options = {
        type: 'merge' as const,
        ...(dryRun === undefined ? {} : { dryRun }),
        ...(fieldManager === undefined ? {} : { fieldManager }),
      };
      const { object } = await api.patch(ref, { metadata, spec: { replicas } }, options, context);
      return scaleOfWorkload(object);
    },
  };
}

function scaleOfWorkload({ metadata, spec, status }: KubeObject): KubeObject {
  const wanted = isJsonObject(spec) ? spec : {};
  const observed = isJsonObject(status) ? status : {};
  const labels = isJsonObject(wanted.selector) ? wanted.selector.matchLabels : undefined;
  const selector = Object.entries(isJsonObject(labels) ? labels : {}).map(([key, value]) => `${key}=${String(value)}`);
  return scaleObject({
    metadata,
    desired: Number(wanted.replicas ?? 1),
    observed: Number(observed.replicas ?? 0),
    selector: selector.join(','),
  });
}
