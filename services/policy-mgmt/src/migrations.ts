import { fileURLToPath } from 'node:url';

/** Directories of the migrations of what is no resource. */
export const POLICY_MGMT_MIGRATIONS: readonly string[] = [fileURLToPath(new URL('../migrations', import.meta.url))];
