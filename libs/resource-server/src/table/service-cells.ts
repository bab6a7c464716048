import type { KubeObject } from '@crate/api';
import { findByPath } from './json-path.js';
import { numberAt, text, textAt, textsAt } from './reading.js';

/** Where a service is reached from outside. */
export function serviceExternal(service: KubeObject): string {
  const stated = textsAt(service, '.spec.externalIPs[*]');
  if (textAt(service, '.spec.type') !== 'LoadBalancer') return text(stated) || '<none>';
  const balancer = textsAt(service, '.status.loadBalancer.ingress[*].*');
  return text([...balancer, ...stated]) || '<pending>';
}

/** Ports such as `80:30080/TCP`. */
export function servicePorts(service: KubeObject): string {
  const shown = findByPath(service, '.spec.ports[*]').map((port) => {
    const outside = numberAt(port, '.nodePort');
    return `${numberAt(port, '.port')}${outside === 0 ? '' : `:${outside}`}/${textAt(port, '.protocol') || 'TCP'}`;
  });
  return text(shown) || '<none>';
}
