import { fileURLToPath } from 'node:url';

/** Folder of the store's migrations, to be applied before those of the work queue and of the service. */
export const resourceStoreMigrations = fileURLToPath(new URL('../migrations', import.meta.url));
