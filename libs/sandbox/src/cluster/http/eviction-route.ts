import { notFound, PlatformError } from '@crate/errors';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { POD } from '../kinds/pod.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { budgetAgainst } from '../workloads/disruption-budgets.js';

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction$/;

/** Evictions: deletions that disruption budgets are asked about. */
export class EvictionRoute implements ExtraRoute {
  constructor(
    private readonly scope: ClusterScope,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return method === 'POST' && PATH.test(path);
  }

  async handle({ path, context, respond }: Exchange): Promise<void> {
    const [, namespace = '', name = ''] = PATH.exec(path) ?? [];
    const resource = { group: '', version: 'v1', resource: 'pods', subresource: 'eviction' };
    await this.authorize(context.caller, { ...resource, namespace, name, verb: 'create' });
    // One after the other, or two would use up what a budget has left for one.
    await this.scope.serially('eviction', () => this.evict(namespace, name));
    respond.object(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
  }

  private async evict(namespace: string, name: string): Promise<void> {
    const { cache } = this.scope;
    const pod = cache.find(POD, name, namespace);
    if (!pod) throw notFound('pods', name);
    if (budgetAgainst(pod, cache))
      throw new PlatformError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.");
    await this.scope.remove(POD, pod);
  }
}
