import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { isObject } from '../../apply/json.js';
import { writeOptions } from '../query-options.js';
import { contentType, parseDocument, readBody } from '../request-body.js';
import { refOf, type Target } from './target.js';

const SCALE = 'scale';

/** True for the subresource that reads and sets the number of replicas, where the kind has it. */
export function isScale({ path, route }: Target): boolean {
  return path.subresource === SCALE && route.kind.subresources.some(({ name }) => name === SCALE);
}

export async function readScale({ exchange, path, route }: Target): Promise<void> {
  exchange.respond.object(200, toScale(await route.api.get(refOf(path), exchange.context)));
}

/** `PUT` of a Scale, or any `PATCH` that states the replicas: a merge patch of the workload. */
export async function writeScale({ exchange, path, route }: Target): Promise<void> {
  const { request, query, context, respond } = exchange;
  const document = parseDocument(await readBody(request), contentType(request));
  const options = { ...writeOptions(query, request), type: 'merge' as const };
  const { object } = await route.api.patch(refOf(path), fromScale(document), options, context);
  respond.object(200, toScale(object));
}

/** A workload's replicas. Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/ (autoscaling/v1 Scale) */
function toScale({ metadata, spec, status }: KubeObject): unknown {
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
function fromScale(document: unknown): unknown {
  const { spec, metadata } = isObject(document) ? document : {};
  const replicas = isObject(spec) ? spec.replicas : undefined;
  if (!Number.isInteger(replicas) || Number(replicas) < 0) throw badRequest('spec.replicas must be a whole number');
  const resourceVersion = isObject(metadata) ? metadata.resourceVersion : undefined;
  return { ...(resourceVersion ? { metadata: { resourceVersion } } : {}), spec: { replicas } };
}
