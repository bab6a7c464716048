export { Database, type DatabaseOptions } from './database.js';
export { migrate, type MigrateOptions } from './migrate/migrate.js';
export { fromPostgresError, sqlStateOf } from './postgres-errors.js';
export { prismaAdapter } from './prisma-adapter.js';
export { SqlRunner } from './sql-runner.js';
export { Transaction, type TransactionOptions } from './transaction.js';
