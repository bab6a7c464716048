import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of this service's own tables. */
export const CLUSTER_MGMT_MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));
