import type { Plan } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import { jsonEqual } from '@crate/resource-server';
import type { Prepared } from './plan-preparation.js';

/** Reason of plans that nobody carries out, because the cluster is paused with them. */
export const PAUSED = 'Paused';

/** Whether a spec differs from the one before in nothing but that the cluster is paused; false for a new cluster. Pure. */
export function isPausedOnly(before: object | undefined, after: object): boolean {
  return before !== undefined && jsonEqual({ ...before, paused: true }, after);
}

/** Throws InvalidSpec for a change that nobody would carry out before somebody lets the cluster go on. */
export function requireGoing({ spec }: Plan, { cluster, wanted }: Prepared): void {
  if (wanted?.['paused'] !== true || isPausedOnly(cluster?.spec, wanted)) return;
  const field = 'spec.paused';
  const message = `Cluster "${spec.clusterRef.name}" is paused with this change, so that nobody would carry it out`;
  throw invalidSpec(message, [{ reason: 'FieldValueForbidden', field, message }], {
    reason: PAUSED,
    field,
    remedy: 'Plan spec.paused: false with it',
  });
}
