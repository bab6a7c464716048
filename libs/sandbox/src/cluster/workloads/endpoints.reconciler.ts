import { POD, type Pod } from '../kinds/pod.js';
import {
  ENDPOINTS,
  ENDPOINT_SLICE,
  SERVICE,
  type Endpoints,
  type EndpointSlice,
  type Service,
} from '../kinds/service.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope, NewObject } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { controllerReference, isActive, isReady } from './pods.js';
import { templateHash } from './template-hash.js';
import { ownKey } from './watch-owners.js';

type Port = NonNullable<Service['spec']['ports']>[number];

const servicesOfPod: KeysOf = ({ key, before, after }, scope) =>
  scope.cache
    .list(SERVICE, key.namespace)
    .filter((service) => [before, after].some((pod) => pod && selects(service, pod as Pod)))
    .map(({ metadata }) => ({ namespace: key.namespace, name: metadata.name }));

/** Lists the pods behind each service, those that are ready apart from those that are not. */
export class EndpointsReconciler implements ClusterReconciler {
  readonly name = 'endpoints';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(SERVICE), ownKey],
    [collectionKey(POD), servicesOfPod],
  ]);

  async reconcile(key: ClusterKey, scope: ClusterScope): Promise<undefined> {
    const service = scope.cache.find(SERVICE, key.name, key.namespace);
    if (!service || Object.keys(service.spec.selector ?? {}).length === 0) return;
    const pods = scope.cache
      .list(POD, key.namespace)
      .filter((pod) => selects(service, pod) && isActive(pod) && pod.status?.podIP)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    await this.saveEndpoints(service, pods, scope);
    await this.saveSlice(service, pods, scope);
  }

  private async saveEndpoints(service: Service, pods: readonly Pod[], scope: ClusterScope): Promise<void> {
    const { name, namespace = '' } = service.metadata;
    const subsets = subsetsOf(service, pods);
    const existing = scope.cache.find(ENDPOINTS, name, namespace);
    if (existing) {
      await scope.update(ENDPOINTS, existing, { subsets });
      return;
    }
    await scope.create(ENDPOINTS, { ...header(service, name), subsets });
  }

  private async saveSlice(service: Service, pods: readonly Pod[], scope: ClusterScope): Promise<void> {
    const name = `${service.metadata.name}-${templateHash(service.metadata.uid).slice(0, 5)}`;
    const ports = (service.spec.ports ?? []).map((port) => resolved(port, pods[0]));
    const endpoints = pods.map((pod) => ({
      addresses: [pod.status?.podIP ?? ''],
      conditions: { ready: isTold(service, pod), serving: isReady(pod), terminating: false },
      ...hostnameOf(service, pod),
      nodeName: pod.spec.nodeName ?? '',
      targetRef: targetOf(pod),
    }));
    const existing = scope.cache.find(ENDPOINT_SLICE, name, service.metadata.namespace);
    if (existing) {
      await scope.update(ENDPOINT_SLICE, existing, { endpoints, ports });
      return;
    }
    const labels = {
      'kubernetes.io/service-name': service.metadata.name,
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    };
    const slice = { ...header(service, name, labels), addressType: 'IPv4', endpoints, ports };
    await scope.create(ENDPOINT_SLICE, slice as NewObject<EndpointSlice>);
  }
}

/** True when the service sends traffic to the pod. */
export function selects({ spec, metadata }: Service, pod: Pod): boolean {
  const wanted = Object.entries(spec.selector ?? {});
  const isSameNamespace = metadata.namespace === pod.metadata.namespace;
  return isSameNamespace && wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** The container port a service port leads to, by number or by name. */
export function targetPort(port: Port, pod: Pod | undefined): number {
  if (typeof port.targetPort === 'number') return port.targetPort;
  const ports = pod?.spec.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.find(({ name }) => name !== undefined && name === port.targetPort)?.containerPort ?? port.port;
}

function subsetsOf(service: Service, pods: readonly Pod[]): Endpoints['subsets'] {
  if (pods.length === 0) return [];
  const address = (pod: Pod): NonNullable<NonNullable<Endpoints['subsets']>[number]['addresses']>[number] => ({
    ip: pod.status?.podIP ?? '',
    ...hostnameOf(service, pod),
    nodeName: pod.spec.nodeName ?? '',
    targetRef: targetOf(pod),
  });
  const ready = pods.filter((pod) => isTold(service, pod)).map(address);
  const notReady = pods.filter((pod) => !isTold(service, pod)).map(address);
  return [
    {
      ...(ready.length > 0 ? { addresses: ready } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
      ports: (service.spec.ports ?? []).map((port) => resolved(port, pods[0])),
    },
  ];
}

/** Whether clients are led to the pod; members of a set that must find each other to become ready are told of before that. */
function isTold({ spec }: Service, pod: Pod): boolean {
  return spec.publishNotReadyAddresses === true || isReady(pod);
}

/** Pods of a StatefulSet have a name of their own below that of their Service. */
function hostnameOf({ metadata }: Service, { spec }: Pod): { readonly hostname?: string } {
  const { hostname, subdomain } = spec;
  return hostname !== undefined && subdomain === metadata.name ? { hostname } : {};
}

function resolved(port: Port, pod: Pod | undefined): { name?: string; port: number; protocol: Port['protocol'] } {
  return {
    ...(port.name === undefined ? {} : { name: port.name }),
    port: targetPort(port, pod),
    protocol: port.protocol,
  };
}

function targetOf({ metadata }: Pod): { kind: string; name: string; namespace: string; uid: string } {
  return { kind: 'Pod', name: metadata.name, namespace: metadata.namespace ?? '', uid: metadata.uid };
}

function header(
  service: Service,
  name: string,
  labels: Record<string, string> = {},
): { readonly metadata: NewObject<Endpoints>['metadata'] } {
  const all = { ...service.metadata.labels, ...labels };
  const owners = [controllerReference(service)];
  return { metadata: { name, namespace: service.metadata.namespace ?? '', labels: all, ownerReferences: owners } };
}
