import { fileURLToPath } from 'node:url';

/** Directory of the SQL migrations of the table that `PostgresSecretStore` uses. */
export const SECRETS_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
