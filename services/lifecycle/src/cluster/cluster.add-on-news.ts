import { conditionMessage } from '@crate/api';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow, readyMessage } from './phases/child.js';

/**
 * What the cluster's add-ons wait for: the first that is not ready, in its own words on one line; it is the one at hand, for they go one by one.
 * Undefined while none is begun, and when all are ready.
 */
export function addOnAtHand({ addOns = [], installations = [] }: ClusterScope): string | undefined {
  const begun = addOns.map(({ metadata }) => installations.find(({ spec }) => spec.addOn === metadata.name));
  const atHand = begun.find((installation) => installation !== undefined && !isReadyNow(installation));
  return atHand && conditionMessage(`${atHand.spec.addOn}: ${readyMessage(atHand)}`);
}
