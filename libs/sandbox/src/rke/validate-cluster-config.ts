import { isIP } from 'node:net';
import { isSupportedVersion, parseCidr } from '@crate/api';
import type { ClusterConfig, NodeConfig } from './cluster-config.js';
import { upstreamVersion } from './kubernetes-versions.js';

const ROLES = ['etcd', 'controlplane', 'worker'];
const NETWORK_PLUGINS = ['canal', 'calico', 'flannel', 'weave', 'none'];

/** The first thing that is wrong, in the engine's words and order; undefined when all is well. */
export function findConfigError(config: ClusterConfig): string | undefined {
  return (
    versionError(config) ??
    duplicateError(config) ??
    firstDefined(config.nodes, hostError) ??
    optionError(config) ??
    hostCountError(config)
  );
}

function versionError({ kubernetes_version: version }: ClusterConfig): string | undefined {
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) return `${version} is not valid semver`;
  if (/-rancher\d+-\d+$/.test(version) && isSupportedVersion('rke', upstreamVersion(version))) return undefined;
  return `${version} is an unsupported Kubernetes version and system images are not populated: etcd image is not populated`;
}

function duplicateError({ nodes }: ClusterConfig): string | undefined {
  for (const field of ['address', 'hostname_override'] as const) {
    const values = nodes.map((node) => node[field]).filter((value) => value !== '');
    const duplicate = values.find((value, index) => values.indexOf(value) !== index);
    if (duplicate) return `Cluster can't have duplicate node: ${duplicate}`;
  }
  return undefined;
}

function hostError(node: NodeConfig, index: number): string | undefined {
  const host = `host (${index + 1})`;
  if (!node.address) return `Address for ${host} is not provided`;
  if (!node.user) return `User for ${host} is not provided`;
  if (node.role.length === 0) return `Role for ${host} is not provided`;
  if (node.hostname_override && !isSubdomain(node.hostname_override)) {
    return `Hostname_override [${node.hostname_override}] for ${host} is not valid: [a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character]`;
  }
  const unknown = node.role.find((role) => !ROLES.includes(role));
  return unknown === undefined ? undefined : `Role [${unknown}] for ${host} is not recognized`;
}

function optionError(config: ClusterConfig): string | undefined {
  const strategies = config.authentication.strategy.split('|').map((strategy) => strategy.trim().toLowerCase());
  const unknown = strategies.find((strategy) => strategy !== 'x509' && strategy !== 'webhook');
  if (unknown !== undefined) return `Authentication strategy [${unknown}] is not supported`;
  if (!strategies.includes('x509')) return 'Authentication strategy must contain [x509]';
  if (!NETWORK_PLUGINS.includes(config.network.plugin)) {
    return `Network plugin [${config.network.plugin}] is not supported`;
  }
  if (!['nginx', 'none'].includes(config.ingress.provider)) {
    return `Ingress controller ${config.ingress.provider} is incorrect`;
  }
  return addressError(config);
}

function addressError({ services }: ClusterConfig): string | undefined {
  const serviceRange = services['kube-api'].service_cluster_ip_range;
  if (!parseCidr(serviceRange)) return `Failed to get Kubernetes Service IP: invalid CIDR address: ${serviceRange}`;
  const podRange = services['kube-controller'].cluster_cidr;
  if (!parseCidr(podRange)) return `invalid CIDR address: ${podRange}`;
  const dns = services.kubelet.cluster_dns_server;
  return isIP(dns) ? undefined : `kubelet cluster dns service ${dns} is not an IP address`;
}

function hostCountError({ nodes }: ClusterConfig): string | undefined {
  const roles = new Set(nodes.flatMap((node) => node.role));
  if (!roles.has('etcd')) {
    return 'Cluster must have at least one etcd plane host: please specify one or more etcd in cluster config';
  }
  return roles.has('controlplane') ? undefined : 'Cluster must have at least one controlplane host';
}

function isSubdomain(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}

function firstDefined<T, R>(items: readonly T[], find: (item: T, index: number) => R | undefined): R | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
