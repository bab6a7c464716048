export { Batcher, type BatchOptions } from './batcher.js';
export { Database } from './database.js';
export { migrate } from './migrate/migrate.js';
export { fromPostgresError, refusesUser, sqlStateOf } from './postgres-errors.js';
export { fromPrisma, prismaOptions } from './prisma.js';
export { SqlRunner } from './sql-runner.js';
export { Transaction } from './transaction.js';
