import { parseCidr } from '@crate/api';
import { SERVICE, type Service } from '../kinds/service.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { formatAddress } from '../addresses.js';
import type { Rule, Violation } from './rules.js';

const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

/** Ports must be there, apart from each other, and named when there are several. */
export const portsAreSound: Rule<Service> = ({ spec }) => {
  const ports = spec.ports ?? [];
  if (spec.type === 'ExternalName') return [];
  if (ports.length === 0 && spec.clusterIP !== 'None') {
    return [{ field: 'spec.ports', message: 'Required value', reason: 'FieldValueRequired' }];
  }
  const keys = ports.map(({ port, protocol }) => `${port}/${protocol}`);
  return ports.flatMap(({ name, port, protocol }, index): Violation[] => {
    const path = `spec.ports[${index}]`;
    const isDuplicate = keys.indexOf(`${port}/${protocol}`) !== index;
    const isNameless = ports.length > 1 && !name;
    return [
      ...(isDuplicate
        ? [
            {
              field: path,
              message: `Duplicate value: {"port":${port},"protocol":"${protocol}"}`,
              reason: 'FieldValueDuplicate' as const,
            },
          ]
        : []),
      ...(isNameless
        ? [{ field: `${path}.name`, message: 'Required value', reason: 'FieldValueRequired' as const }]
        : []),
    ];
  });
};

/** A service keeps its address for life. */
export const addressIsFixed: Rule<Service> = ({ spec }, before) => {
  const old = before?.spec.clusterIP;
  if (!old || old === spec.clusterIP || before.spec.type === 'ExternalName' || spec.type === 'ExternalName') return [];
  return [{ field: 'spec.clusterIP', message: `Invalid value: "${spec.clusterIP ?? ''}": field is immutable` }];
};

/** Gives a service its address and node ports, and keeps those it has. */
export function completeService(service: Service, before: Service | undefined, scope: ClusterScope): Service {
  const { spec } = service;
  if (spec.type === 'ExternalName') return service;
  const clusterIP = spec.clusterIP || before?.spec.clusterIP || freeAddress(scope);
  const defaults = {
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster' as const,
    ...(spec.type === 'ClusterIP' ? {} : { externalTrafficPolicy: 'Cluster' as const }),
  };
  const ports = completePorts(service, before, scope);
  return {
    ...service,
    spec: { ...defaults, ...spec, clusterIP, clusterIPs: [clusterIP], ...(ports ? { ports } : {}) },
    status: service.status ?? { loadBalancer: {} },
  };
}

function completePorts(service: Service, before: Service | undefined, scope: ClusterScope): Service['spec']['ports'] {
  const { spec } = service;
  const hasNodePorts = spec.type !== 'ClusterIP' && spec.allocateLoadBalancerNodePorts !== false;
  const taken = usedNodePorts(scope, service);
  return spec.ports?.map((port) => {
    const targetPort = port.targetPort ?? port.port;
    if (!hasNodePorts) return { ...port, targetPort };
    const old = before?.spec.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
    const nodePort = port.nodePort ?? old?.nodePort ?? freeNodePort(taken);
    taken.add(nodePort);
    return { ...port, targetPort, nodePort };
  });
}

function freeAddress(scope: ClusterScope): string {
  const { serviceCidr, dnsServer } = scope.record().network;
  const block = parseCidr(serviceCidr);
  const used = new Set([...scope.cache.list(SERVICE).map(({ spec }) => spec.clusterIP), dnsServer]);
  // The first address is the API server's own.
  for (let host = 2; block && host < block.size - 1; host += 1) {
    const address = formatAddress(block.first + host);
    if (!used.has(address)) return address;
  }
  return '';
}

function usedNodePorts(scope: ClusterScope, service: Service): Set<number> {
  const others = scope.cache.list(SERVICE).filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  const ports = others.flatMap(({ spec }) => spec.ports ?? []).map(({ nodePort }) => nodePort);
  return new Set(ports.filter((port) => port !== undefined));
}

function freeNodePort(taken: ReadonlySet<number>): number {
  for (let port = FIRST_NODE_PORT; port <= LAST_NODE_PORT; port += 1) if (!taken.has(port)) return port;
  return 0;
}
