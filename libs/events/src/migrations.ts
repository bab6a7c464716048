import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of a schema that holds events, applied after those of the resource store. */
export const EVENTS_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
