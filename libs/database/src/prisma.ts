import { PrismaPg } from '@prisma/adapter-pg';
import type { Database } from './database.js';
import { fromPostgresError } from './postgres-errors.js';

/**
 * Longer than anybody waits for a connection of the pool, which says why there is none, and as long as for a statement: Prisma itself gives up
 * after two seconds and five.
 */
const transactionOptions = { maxWait: 15_000, timeout: 30_000 };

/** A Prisma client's way to the database over the same connections: `new PrismaClient(prismaOptions(database))`. */
export function prismaOptions(database: Database): {
  readonly adapter: PrismaPg;
  readonly transactionOptions: typeof transactionOptions;
} {
  return { adapter: new PrismaPg(database.pool, { schema: database.schema }), transactionOptions };
}

/** What is asked for through Prisma; throws what `fromPostgresError` makes of its failure. */
export async function fromPrisma<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw fromPostgresError(error);
  }
}
