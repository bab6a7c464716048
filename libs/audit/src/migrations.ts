import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of the audit log, to be applied after those of the resource store. */
export const AUDIT_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
