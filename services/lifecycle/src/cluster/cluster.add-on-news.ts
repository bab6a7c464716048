import { conditionMessage, type AddOnInstallation } from '@crate/api';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow, readyMessage } from './phases/child.js';

/**
 * What the cluster's add-ons wait for: the first that is not ready, in its own words on one line; it is the one at hand, for they go one by one.
 * Or the first that is on its way out. Undefined while none is begun, and when all are as they should be.
 */
export function addOnAtHand({ addOns = [], installations = [] }: ClusterScope): string | undefined {
  const begun = addOns.map(({ metadata }) => installations.find(({ spec }) => spec.addOn === metadata.name));
  const atHand = begun.find((installation) => installation !== undefined && !isReadyNow(installation));
  const told = atHand ?? leavingAddOns(installations)[0];
  return told && conditionMessage(`${told.spec.addOn}: ${isLeaving(told) ? leavingText(told) : readyMessage(told)}`);
}

/** Those that are on their way out. */
export function leavingAddOns(installations: readonly AddOnInstallation[]): readonly AddOnInstallation[] {
  return installations.filter(isLeaving);
}

function isLeaving({ metadata }: AddOnInstallation): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function leavingText({ status }: AddOnInstallation): string {
  const [blocker] = status?.deletion?.blockers ?? [];
  if (!blocker) return 'is being removed';
  const { kind, name, message, remedy } = blocker;
  return `cannot be removed for ${kind} ${name}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`;
}
