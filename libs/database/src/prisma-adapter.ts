import { PrismaPg } from '@prisma/adapter-pg';
import type { Database } from './database.js';

/** A Prisma client's way to the database over the same connections: `new PrismaClient({ adapter: prismaAdapter(database) })`. */
export function prismaAdapter(database: Database): PrismaPg {
  return new PrismaPg(database.pool, { schema: database.schema });
}
