import type { ResourceRouter } from '@crate/resource-client';
import { Discovery } from '../discovery/discovery.js';
import type { Exchange } from './exchange.js';
import { parseAccept } from './media-type.js';
import { type AwayOwner, notServed } from './not-served.js';

/** Answers `/api`, `/apis` and what is directly below; false for other paths. */
export function handleDiscovery(exchange: Exchange, router: ResourceRouter, awayOwner?: AwayOwner): boolean {
  const segments = exchange.path.split('/').filter((segment) => segment !== '');
  const [root, first, second, ...more] = segments;
  const isCore = root === 'api';
  if (exchange.method !== 'GET' || more.length > 0 || (!isCore && root !== 'apis') || (isCore && second)) return false;
  const discovery = new Discovery(router.kinds());
  if (first === undefined) {
    sendRoot(exchange, discovery, isCore);
    return true;
  }
  const body = isCore ? discovery.resources('', first) : discoverGroup(discovery, first, second);
  if (body === undefined) throw notServed(isCore ? '' : first, awayOwner);
  exchange.respond.object(200, body);
  return true;
}

function discoverGroup(discovery: Discovery, group: string, version: string | undefined): unknown {
  return version === undefined ? discovery.group(group) : discovery.resources(group, version);
}

function sendRoot({ request, respond }: Exchange, discovery: Discovery, isCore: boolean): void {
  const version = aggregatedVersion(request.headers.accept);
  if (version === undefined) return respond.object(200, isCore ? discovery.coreVersions() : discovery.groupList());
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return respond.object(200, discovery.aggregated(version, isCore), contentType);
}

/** Which aggregated form the client prefers; undefined when it wants the legacy lists. */
function aggregatedVersion(accept: string | undefined): 'v2' | 'v2beta1' | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== 'application/json' && type !== '*/*') continue;
    const { as, g, v } = parameters;
    if (as === undefined) return undefined;
    const isKnown = as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io';
    if (isKnown && (v === 'v2' || v === 'v2beta1')) return v;
  }
  return undefined;
}
