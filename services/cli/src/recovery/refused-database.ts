import { sqlStateOf } from '@crate/database';
import { PlatformError, type ErrorCode } from '@crate/errors';

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
}

const PASSWORD: Refusal = {
  code: 'Unauthenticated',
  message: 'does not take the user and password of its URL',
  remedy: 'Set PGPASSWORD to the password of its user, or write it into the URL',
};
const NO_CRATE: Refusal = {
  code: 'NotFound',
  message: 'has no installation of Crate in it',
  remedy: 'Name the database that its services use at the end of the URL',
};

/** What to do about it, by SQLSTATE. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  '28P01': PASSWORD,
  '28000': PASSWORD,
  '42501': {
    code: 'Forbidden',
    message: 'does not let the user of its URL do what the services of Crate may',
    remedy: 'Use its owner, a superuser, or a member of the roles lifecycle, cloud_mgmt, cluster_mgmt and policy_mgmt',
  },
  '3D000': NO_CRATE,
  '3F000': NO_CRATE,
  '42P01': NO_CRATE,
};

/** Rethrows what a database refused that a person named, with which one that was and what to do about it; other errors as they are. */
export function tellOfRefusal(error: unknown, database: string): never {
  const refusal = refusalOf(error);
  if (!refusal) throw error;
  throw refused(refusal, database, error);
}

/** That a database is none of Crate, though it answers. */
export function noCrateIn(database: string): PlatformError {
  return refused(NO_CRATE, database);
}

function refused({ code, message, remedy }: Refusal, database: string, cause?: unknown): PlatformError {
  return new PlatformError(code, `${database} ${message}`, { details: { remedy }, cause });
}

function refusalOf(error: unknown): Refusal | undefined {
  const { cause } = error as PlatformError;
  // The driver has no code for a password that it was not given.
  if (/password must be a string/.test((cause as Error | undefined)?.message ?? '')) return PASSWORD;
  return REFUSALS[sqlStateOf(error) ?? ''];
}
