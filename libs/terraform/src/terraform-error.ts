import { PlatformError, type ErrorCode } from '@crate/errors';
import type { TerraformFailure } from './classify-failure.js';
import type { TerraformFailureCode } from './failure-rules.js';

const CODES: Partial<Record<TerraformFailureCode, ErrorCode>> = {
  AccountBlocked: 'Forbidden',
  CredentialsRejected: 'Forbidden',
  RateLimited: 'TooManyRequests',
  Timeout: 'Timeout',
};

/** Thrown when a Terraform command failed; `failure` says why, `details.reason` is its code. */
export class TerraformError extends PlatformError {
  constructor(readonly failure: TerraformFailure) {
    super(CODES[failure.code] ?? 'Unavailable', failure.message, {
      details: {
        reason: failure.code,
        remedy: failure.remedy,
        ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
      },
      // What the user has to do may happen outside of our sight, so even a hopeless case is tried again, but rarely.
      retry: failure.retryable ? 'backoff' : 'slow',
    });
    this.name = 'TerraformError';
  }
}

/** The failure that a thrown value carries, if it comes from a Terraform command. */
export function terraformFailureOf(error: unknown): TerraformFailure | undefined {
  if (!(error instanceof Error) || !('failure' in error) || error.name !== 'TerraformError') return undefined;
  return error.failure as TerraformFailure;
}
