import { PlatformError } from '@crate/errors';
import type { Pool } from 'pg';

/** What the pool says of whoever waited too long, whether for a connection that others use or for the server. */
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';

/** Tells a pool whose connections are all at work from a server that does not answer. */
export class ConnectionsInUse {
  private count = 0;

  constructor(
    pool: Pool,
    private readonly most: number,
  ) {
    pool.on('acquire', () => (this.count += 1));
    pool.on('release', () => (this.count -= 1));
  }

  /** Unavailable with the reason `ConnectionsInUse` where that is the cause of an error, and else the error as it is. */
  tell(error: unknown): unknown {
    if (!(error instanceof Error) || error.message !== WAITED_TOO_LONG || this.count < this.most) return error;
    const message = `All ${this.most} connections of the service to its database are in use`;
    const remedy = 'See what takes its statements so long, or raise CRATE_DATABASE_POOL_SIZE';
    return new PlatformError('Unavailable', message, { details: { reason: 'ConnectionsInUse', remedy }, cause: error });
  }
}
