import { PlatformError } from '@crate/errors';
import { pathNotFound } from './protocol-error.js';

/** The service that answers for an API group, where it is known that there is one, and nothing is known of its kinds now. */
export type AwayOwner = (group: string) => string | undefined;

const RETRY_AFTER_MS = 1000;

/**
 * What a kind that is not known is told: that there is none, unless that cannot be said. Clients take a 404 for "gone", and would
 * forget what is there while only its service is away.
 */
export function notServed(group: string, awayOwner: AwayOwner = () => undefined): Error {
  const service = awayOwner(group);
  if (service === undefined) return pathNotFound();
  const message = `Nobody answers for ${group} now: its service ${service} is away or still starting`;
  const remedy = `Try again, or see whether ${service} runs and reaches NATS`;
  return new PlatformError('Unavailable', `${message}. ${remedy}`, {
    details: { group, reason: 'ServiceAway', remedy, retryAfterMs: RETRY_AFTER_MS },
  });
}
