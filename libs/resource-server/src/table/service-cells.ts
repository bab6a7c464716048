import type { KubeObject } from '@crate/api';
import { isObject } from '../apply/json.js';
import { findByPath } from './json-path.js';
import { text, textAt, textsAt } from './reading.js';

/** Where a service is reached from outside. */
export function serviceExternal(service: KubeObject): string {
  const stated = textsAt(service, '.spec.externalIPs[*]');
  if (textAt(service, '.spec.type') !== 'LoadBalancer') return text(stated) || '<none>';
  const balancer = textsAt(service, '.status.loadBalancer.ingress[*].*');
  return text([...balancer, ...stated]) || '<pending>';
}

/** Ports such as `80:30080/TCP`. */
export function servicePorts(service: KubeObject): string {
  const ports = findByPath(service, '.spec.ports[*]').filter(isObject);
  const shown = ports.map(({ port, nodePort, protocol = 'TCP' }) => {
    const outside = nodePort === undefined ? '' : `:${String(nodePort)}`;
    return `${String(port)}${outside}/${String(protocol)}`;
  });
  return text(shown) || '<none>';
}
