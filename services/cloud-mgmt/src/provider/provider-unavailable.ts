import { PlatformError } from '@crate/errors';

/** As in the failures of Terraform. */
export const PROVIDER_UNAVAILABLE = 'ProviderUnavailable';
export const PROVIDER_UNAVAILABLE_REMEDY = 'Nothing to do: it is tried again when the provider answers';

/** A provider that was reached, and is in trouble itself. */
export function providerUnavailable(message: string, cause?: unknown): PlatformError {
  const details = { reason: PROVIDER_UNAVAILABLE, remedy: PROVIDER_UNAVAILABLE_REMEDY };
  return new PlatformError('Unavailable', message, { cause, details });
}
