import { nodesOf, parseRkeState, withCurrentNodes } from './rke-state.js';

/**
 * A state as a run has written it, with the machines that the run could not reach. RKE takes them for gone from what there is, and what
 * there is not it never removes: neither the Node nor the member of etcd. The words of `stored`, the state before, stay for each that is
 * asked for still. Only the file is read by a run, so the copy in the cluster's Secret may be left as it is.
 * Source: TunnelHosts and UpdateClusterCurrentState in https://github.com/rancher/rke/tree/release/v1.8/cluster
 */
export function withLeftOutNodes(written: Uint8Array, stored: Uint8Array | undefined): Uint8Array {
  const { currentState: before = {} } = (stored && parseRkeState(stored)) ?? {};
  const { desiredState: wanted = {}, currentState: current } = parseRkeState(written) ?? {};
  if (!current?.rkeConfig) return written;
  const known = nodesOf(current);
  const leftOut = nodesOf(before).filter(({ address }) => has(nodesOf(wanted), address) && !has(known, address));
  return leftOut.length === 0 ? written : withCurrentNodes(written, [...known, ...leftOut]);
}

/** RKE knows machines by their addresses. */
function has(nodes: ReturnType<typeof nodesOf>, address: unknown): boolean {
  return nodes.some((node) => node['address'] === address);
}
