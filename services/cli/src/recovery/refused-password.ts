import { sqlStateOf } from '@crate/database';
import { PlatformError } from '@crate/errors';

/** Class of SQLSTATE. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INVALID_AUTHORIZATION = '28';

/** Without one that it takes, a database answers very well; the driver has no code for one that it was not given. */
export function tellOfPassword(error: unknown): never {
  const { cause } = error as PlatformError;
  const isRefused = sqlStateOf(error)?.startsWith(INVALID_AUTHORIZATION) ?? false;
  if (!isRefused && !/password must be a string/.test((cause as Error | undefined)?.message ?? '')) throw error;
  const remedy = 'Set PGPASSWORD to the password of its user, or write it into --from';
  throw new PlatformError('Unauthenticated', 'The database at --from does not take the user and password', {
    details: { remedy },
    cause: error,
  });
}
