import type { KubeObject, KubeObjectInput } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { ResourceApi, ResourceRef } from '@crate/resource-client';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { formatSelector } from '../label-selector.js';
import type { Deployment } from '../kinds/workloads.js';
import { readJson } from './read-json.js';
import { coreResource } from './resource-url.js';

const PATH = /^\/apis\/apps\/v1\/namespaces\/[^/]+\/(deployments|replicasets|statefulsets)\/[^/]+\/scale$/;

interface Scale {
  readonly spec?: { readonly replicas?: unknown };
}

/** The `scale` subresource of workloads, which `kubectl scale` and autoscalers use. */
export class ScaleRoute implements ExtraRoute {
  constructor(
    private readonly api: ResourceApi,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return PATH.test(path) && ['GET', 'PUT', 'PATCH'].includes(method);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { ref } = coreResource(exchange.path);
    const { plural: resource, ...where } = ref;
    const verb = { GET: 'get', PUT: 'update', PATCH: 'patch' }[exchange.method] ?? '';
    await this.authorize(exchange.context.caller, { ...where, resource, subresource: 'scale', verb });
    const object =
      exchange.method === 'GET' ? await this.api.get(ref, exchange.context) : await this.write(ref, exchange);
    exchange.respond.object(200, scaleOf(object as Deployment));
  }

  private async write(ref: ResourceRef, { request, query, context }: Exchange): Promise<KubeObject> {
    const replicas = ((await readJson(request)) as Scale).spec?.replicas;
    if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
      throw badRequest('spec.replicas must be a whole number');
    }
    const options = { type: 'merge', dryRun: query.get('dryRun') === 'All', fieldManager: 'kubectl' } as const;
    const patch = { spec: { replicas } } satisfies Partial<KubeObjectInput>;
    return (await this.api.patch(ref, patch, options, context)).object;
  }
}

function scaleOf({ metadata, spec, status }: Deployment): unknown {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec.replicas },
    status: { replicas: status?.replicas ?? 0, selector: formatSelector(spec.selector) },
  };
}
