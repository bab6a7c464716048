import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow, readyMessage } from './phases/child.js';

/**
 * What the cluster's add-ons wait for: the first that is not ready, in its own words, which is the one at hand, for they go one after the other.
 * Undefined while none is begun, and when all are ready.
 */
export function addOnAtHand({ addOns = [], installations = [] }: ClusterScope): string | undefined {
  const begun = addOns.map(({ metadata }) => installations.find(({ spec }) => spec.addOn === metadata.name));
  const atHand = begun.find((installation) => installation !== undefined && !isReadyNow(installation));
  return atHand && `${atHand.spec.addOn}: ${readyMessage(atHand)}`;
}
