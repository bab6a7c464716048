import { isDeepStrictEqual } from 'node:util';
import { nodesOf, parseRkeState, withCurrentNodes } from './rke-state.js';

/**
 * A state as a run has written it that has not put labels and taints on nodes yet, with those that they have: of `stored`, the state before,
 * and none on a machine that is new. RKE writes all that is asked for into what there is before it starts workers, and afterwards puts on
 * and takes off only what the configuration and what there is differ in: what a run did not come to, none after it would do.
 * Idempotent: the state before may be one that this has given.
 * Source: SyncLabelsAndTaints, syncTaints and syncLabels in https://github.com/rancher/rke/tree/release/v1.8/cluster
 */
export function withUnsyncedMarks(written: Uint8Array, stored: Uint8Array | undefined): Uint8Array {
  const before = nodesOf((stored && parseRkeState(stored)?.currentState) ?? {});
  const known = nodesOf(parseRkeState(written)?.currentState ?? {});
  const nodes = known.map((node) => withMarksOf(node, before.find(({ address }) => address === node['address']) ?? {}));
  return isDeepStrictEqual(nodes, known) ? written : withCurrentNodes(written, nodes);
}

function withMarksOf(node: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> {
  const { labels: _labels, taints: _taints, ...rest } = node;
  const { labels, taints } = before;
  return { ...rest, ...(labels === undefined ? {} : { labels }), ...(taints === undefined ? {} : { taints }) };
}
