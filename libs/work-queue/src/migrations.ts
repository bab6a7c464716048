import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of the table that `PostgresWorkQueue` uses. */
export const WORK_QUEUE_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
