import { SERVICE, type Service } from '../kinds/service.js';
import { DAEMON_SET } from '../kinds/workloads.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { ownKey } from './watch-owners.js';

/** Keeps a Service until its load balancer is gone. */
export const LOAD_BALANCER_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** Source: https://github.com/kubernetes/cloud-provider-aws/blob/master/examples/existing-cluster/base/aws-cloud-controller-manager-daemonset.yaml */
const CONTROLLER = { name: 'aws-cloud-controller-manager', namespace: 'kube-system' };
const AGAIN_MS = 1000;

const allServices: KeysOf = (_change, scope) =>
  scope.cache.list(SERVICE).map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }));

/**
 * The service controller of the cloud provider for AWS: load balancers in the cloud for Services that ask for one. As in AWS there is none unless
 * somebody installs it: it makes them while its DaemonSet is there. Those that are there it removes without it, too: clusters of older releases have
 * some and no controller, and their Services would never go.
 */
export class LoadBalancerReconciler implements ClusterReconciler {
  readonly name = 'service-load-balancer';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(SERVICE), ownKey],
    [collectionKey(DAEMON_SET), allServices],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const service = scope.cache.find(SERVICE, key.name, key.namespace);
    const machine = scope.controllerMachine();
    if (!service || !scope.cloud || machine === undefined) return;
    try {
      if (!isWanted(service)) await this.remove(service, machine, scope);
      else if (isInstalled(scope)) await this.ensure(service, machine, scope);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      scope.logger.warn('The cloud refuses', { service: key.name, error });
      return AGAIN_MS;
    }
  }

  private async ensure(service: Service, machine: string, scope: ClusterScope): Promise<void> {
    const { uid, name, namespace = '' } = service.metadata;
    // Claimed first, or a Service that is deleted meanwhile would leave its load balancer behind.
    const claimed = await scope.update(SERVICE, service, withFinalizer(service));
    const ports = (service.spec.ports ?? []).map(({ port, nodePort = 0, protocol }) => ({ port, nodePort, protocol }));
    const hostname = await scope.cloud?.ensureLoadBalancer(machine, { uid, namespace, service: name, ports });
    if (hostname === undefined) return;
    await scope.update(SERVICE, claimed, { status: { ...claimed.status, loadBalancer: { ingress: [{ hostname }] } } });
  }

  private async remove(service: Service, machine: string, scope: ClusterScope): Promise<void> {
    const finalizers = service.metadata.finalizers ?? [];
    if (!finalizers.includes(LOAD_BALANCER_FINALIZER)) return;
    await scope.cloud?.removeLoadBalancer(machine, service.metadata.uid);
    const current = scope.cache.find(SERVICE, service.metadata.name, service.metadata.namespace ?? '');
    if (!current) return;
    await scope.update(SERVICE, current, {
      metadata: { ...current.metadata, finalizers: finalizers.filter((name) => name !== LOAD_BALANCER_FINALIZER) },
      status: { ...current.status, loadBalancer: {} },
    });
  }
}

function isInstalled({ cache }: ClusterScope): boolean {
  return cache.find(DAEMON_SET, CONTROLLER.name, CONTROLLER.namespace) !== undefined;
}

function isWanted({ metadata, spec }: Service): boolean {
  return (
    metadata.deletionTimestamp === undefined && spec.type === 'LoadBalancer' && spec.loadBalancerClass === undefined
  );
}

function withFinalizer({ metadata }: Service): Pick<Service, 'metadata'> {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(LOAD_BALANCER_FINALIZER)) return { metadata };
  return { metadata: { ...metadata, finalizers: [...finalizers, LOAD_BALANCER_FINALIZER] } };
}

/** A call to the cloud that failed, which is for the cloud to get over. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'CallError';
}
