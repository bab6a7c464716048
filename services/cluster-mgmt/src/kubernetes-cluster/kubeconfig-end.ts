import { KUBECONFIG_SECONDS } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { SubresourceQuery } from '@crate/resource-client';

const FIELD = 'expirationSeconds';

/**
 * When a kubeconfig ends that is asked for now: after `expirationSeconds` of the query, and never after the authority that vouches for it. Throws
 * BadRequest for another value than `KUBECONFIG_SECONDS` has room for.
 */
export function kubeconfigEnd(query: SubresourceQuery, now: Date, authorityEnd: Date): Date {
  const asked = now.getTime() + secondsOf(query) * 1000;
  // Certificates know no milliseconds.
  return new Date(Math.floor(Math.min(asked, authorityEnd.getTime()) / 1000) * 1000);
}

function secondsOf({ [FIELD]: text }: SubresourceQuery): number {
  const { least, default: usual, most } = KUBECONFIG_SECONDS;
  if (text === undefined) return usual;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (seconds >= least && seconds <= most) return seconds;
  const wanted = `must be a whole number of seconds from ${least} (10 minutes) to ${most} (365 days)`;
  throw badRequest(`${FIELD} ${wanted}`, { field: FIELD, reason: 'FieldValueInvalid' });
}
