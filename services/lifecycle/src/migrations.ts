import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of this service's own tables. */
export const LIFECYCLE_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
