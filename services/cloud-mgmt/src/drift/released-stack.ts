import { RELEASE_HELD } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import { foundDrift } from '@crate/terraform';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { unaskedSteps } from '../plan/unasked-steps.js';
import { isDrifted } from './drift-record.js';

/** How a person asks for what a release changes. */
export const RELEASE_REMEDY = 'An approved Plan of the spec carries it out, and so does a change of the spec';

/** Whether what differs in the cloud may be put back: somebody said so, or the policy does and nothing is in its way. Pure. */
export function mayPutBack({ infrastructure, drift }: InfrastructureScope): boolean {
  if (drift?.correction) return true;
  return infrastructure.spec.drift.policy === 'correct' && !drift?.record.held;
}

/** Whether what only the release changes waits for a person, by the last comparison. Pure. */
export function isToBeAsked(scope: InfrastructureScope): boolean {
  const { record } = scope.drift ?? {};
  if (!record) return false;
  return record.unasked !== undefined || (isDrifted(record) && !mayPutBack(scope));
}

/**
 * Lets pass the masked plan of a stack that only the release has changed, where nothing in it has an impact and nothing is put back that
 * nobody wants back. Throws Forbidden (`ReleaseHeld`): the cloud has changed since it was compared.
 */
export function checkReleased(scope: InfrastructureScope, plan: Readonly<Record<string, unknown>>): void {
  const drifted = foundDrift({ refresh: plan, plan });
  const unasked = unaskedSteps(plan, mayPutBack(scope) ? drifted : []);
  if (unasked === undefined && (drifted.length === 0 || mayPutBack(scope))) return;
  const { kind, metadata } = scope.infrastructure;
  const found = unasked ?? nameSome(drifted.map(({ address }) => `put back ${address}`));
  throw new PlatformError('Forbidden', `The release would change what nobody asked for: ${found}`, {
    retry: 'slow',
    details: { kind, name: metadata.name, reason: RELEASE_HELD, remedy: RELEASE_REMEDY },
  });
}
