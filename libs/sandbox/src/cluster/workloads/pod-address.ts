import { parseCidr } from '@crate/api';
import { formatAddress } from '../addresses.js';
import type { Node } from '../kinds/core.js';
import { POD } from '../kinds/pod.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';

/** Given out but not yet written, so that passes that overlap do not choose the same. */
const RESERVED = new WeakMap<ClusterScope, Map<string, number>>();
const RESERVATION_MS = 10_000;

/** The lowest address of the node's block that no pod has. */
export function freePodAddress(node: Node, scope: ClusterScope): string {
  const block = parseCidr(node.spec.podCIDR ?? '');
  if (!block) return '';
  const reserved = RESERVED.get(scope) ?? new Map<string, number>();
  RESERVED.set(scope, reserved);
  const now = performance.now();
  for (const [address, until] of reserved) if (until < now) reserved.delete(address);

  const used = new Set(scope.cache.list(POD).map((pod) => pod.status?.podIP));
  for (let host = 2; host < block.size - 1; host += 1) {
    const address = formatAddress(block.first + host);
    if (used.has(address) || reserved.has(address)) continue;
    reserved.set(address, now + RESERVATION_MS);
    return address;
  }
  return '';
}

/** The `index`-th block of 256 addresses. */
export function nodeBlock(podCidr: string, index: number): string {
  const first = parseCidr(podCidr)?.first ?? 0;
  return `${formatAddress(first + index * 256)}/24`;
}
