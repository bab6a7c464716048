import { PlatformError, type ErrorCode } from '@crate/errors';

interface Refusal {
  /** Stable, for scripts and for the table of the guide. */
  readonly reason: string;
  readonly message: string;
  readonly remedy: string;
  readonly code?: ErrorCode;
  readonly cause?: unknown;
}

/** Why a bootstrap or a removal does not go on, and what to do. Its reason stands first, so that a log that keeps one line has it. */
export function refusal({ reason, message, remedy, code = 'Conflict', cause }: Refusal): PlatformError {
  return new PlatformError(code, `${reason}: ${message}`, { retry: 'never', details: { reason, remedy }, cause });
}
