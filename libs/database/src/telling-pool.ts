import { PlatformError } from '@crate/errors';
import pg from 'pg';
import type { PoolClient } from 'pg';

/** What a pool says of whoever waited too long, whether for a connection that others use or for the server. */
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';

type Given = (error: Error | undefined, client: PoolClient | undefined, release: (destroy?: unknown) => void) => void;

/**
 * A pool whose connections are all at work says so to whoever waited too long: in an error that `fromPostgresError` makes Unavailable of, with
 * the reason `ConnectionsInUse`. Its own statements, and those of Prisma, wait the same way.
 */
export class TellingPool extends pg.Pool {
  private readonly atWork = new Set<PoolClient>();

  constructor(options: pg.PoolConfig) {
    super(options);
    this.on('acquire', (client) => this.atWork.add(client));
    this.on('release', (_error, client) => this.atWork.delete(client));
  }

  override connect(): Promise<PoolClient>;
  override connect(given: Given): void;
  override connect(given?: Given): Promise<PoolClient> | undefined {
    if (!given) return super.connect().catch((error: unknown) => Promise.reject(this.tell(error as Error)));
    super.connect((error, client, release) => given(error && this.tell(error), client, release));
    return undefined;
  }

  private tell(error: Error): Error {
    const { max } = this.options;
    if (error.message !== WAITED_TOO_LONG || this.atWork.size < max) return error;
    const message = `All ${max} connections of the service to its database are in use`;
    const remedy = 'See whether it answers, what takes its statements so long, or raise CRATE_DATABASE_POOL_SIZE';
    const details = { reason: 'ConnectionsInUse', remedy };
    // As the cause: of an error that has a code itself Prisma passes nothing on but that.
    return new Error(message, { cause: new PlatformError('Unavailable', message, { details, cause: error }) });
  }
}
