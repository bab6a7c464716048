import { deletionForcedOf, type AbandonedResource, type CloudAccount, type Infrastructure } from '@crate/api';
import { settled, waiting, type FoundBlocker, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { isLockedOut } from '../provider/credentials-rejected.js';

/** Listings lag behind, and a person may have to help. */
export const LOOK_AGAIN_MS = 10_000;

/** New credentials take moments to be known everywhere at a provider. */
const REFUSALS_TO_BELIEVE = 3;

/** A resource at the provider, by its type and id. */
export interface NamedResource {
  readonly type: string;
  readonly id: string;
}

export interface GivingUp {
  readonly blockers: readonly FoundBlocker[];
  /** Left behind in a forced deletion; they are what the deletion was to remove, whatever is in the way. */
  readonly left: readonly NamedResource[];
  readonly account?: CloudAccount | undefined;
}

/** Ends a step that came to its end with something still there: waits for it, or leaves it behind when somebody forced that. */
export function waitOrGiveUp(scope: InfrastructureScope, { blockers, left, account }: GivingUp): Outcome {
  if (deletionForcedOf(scope.infrastructure)) {
    giveUp(scope, left, account);
    return settled;
  }
  scope.blockers = [...scope.blockers, ...blockers];
  scope.progress = { step: 0, steps: 1, message: 'Waiting, see what is in the way' };
  return waiting('WaitingForRemoval', LOOK_AGAIN_MS);
}

/**
 * Does work at the provider. Where somebody forced the deletion and the provider refuses the credentials again and again, as those of an
 * account that is closed, nothing can be removed nor looked at, as without the account: then `otherwise`.
 */
export async function unlessLockedOut<T>(
  { infrastructure }: InfrastructureScope,
  { attempts = 0 }: Pick<ReconcileContext, 'attempts'>,
  work: () => Promise<T>,
  otherwise: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isBelieved = isLockedOut(error) && attempts >= REFUSALS_TO_BELIEVE;
    if (!deletionForcedOf(infrastructure) || !isBelieved) throw error;
    return otherwise();
  }
}

export function giveUp(
  scope: InfrastructureScope,
  left: readonly NamedResource[],
  account: CloudAccount | undefined,
): void {
  scope.abandoned = [...scope.abandoned, ...left.map((one) => abandonedOf(scope.infrastructure, one, account))];
}

function abandonedOf(
  { spec }: Infrastructure,
  { type, id }: NamedResource,
  account: CloudAccount | undefined,
): AbandonedResource {
  const { region } = spec;
  return { kind: type, name: id, ...(account ? { account: account.spec.accountId } : {}), region };
}
