import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of the table that `PostgresRunLogs` uses. */
export const RUN_LOG_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
