import { forbidden } from '@crate/errors';
import type { KubeObject } from '@crate/api';
import type { AdmissionHook } from '@crate/resource-server';
import { RESOURCE_QUOTA } from '../kinds/core.js';
import { SERVICE, type Service } from '../kinds/service.js';
import { PERSISTENT_VOLUME_CLAIM } from '../kinds/storage.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { parseQuantity } from '../workloads/quantities.js';

const BALANCERS = 'services.loadbalancers';
const CLAIMS = 'persistentvolumeclaims';

/** Holds namespaces to their quotas of what costs something outside of the cluster; other resources are not counted. */
export function quotaAllows(scope: () => ClusterScope): AdmissionHook {
  return ({ operation, object, oldObject }) => {
    if (operation === 'DELETE') return Promise.resolve();
    const resource = countedAs(object);
    // What counts already may be changed.
    if (resource === undefined || (oldObject && countedAs(oldObject) === resource)) return Promise.resolve();
    const { namespace = '', name } = object.metadata;
    const used = usedOf(resource, namespace, scope());
    for (const { metadata, spec } of scope().cache.list(RESOURCE_QUOTA, namespace)) {
      const limit = spec?.hard?.[resource];
      if (limit === undefined || used < parseQuantity(limit)) continue;
      const figures = `requested: ${resource}=1, used: ${resource}=${used}, limited: ${resource}=${limit}`;
      const plural = resource === CLAIMS ? CLAIMS : 'services';
      throw forbidden(`${plural} "${name}" is forbidden: exceeded quota: ${metadata.name}, ${figures}`);
    }
    return Promise.resolve();
  };
}

function usedOf(resource: string, namespace: string, { cache }: ClusterScope): number {
  if (resource === CLAIMS) return cache.list(PERSISTENT_VOLUME_CLAIM, namespace).length;
  return cache.list(SERVICE, namespace).filter((service) => countedAs(service) === resource).length;
}

function countedAs(object: KubeObject): string | undefined {
  if (object.kind === 'PersistentVolumeClaim') return CLAIMS;
  return object.kind === 'Service' && (object as Service).spec.type === 'LoadBalancer' ? BALANCERS : undefined;
}
