import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of the table in which replicas say that they are there. */
export const SERVICE_HOST_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
