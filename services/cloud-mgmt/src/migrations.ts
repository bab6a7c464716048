import { fileURLToPath } from 'node:url';
import { RUN_LOG_MIGRATIONS } from '@crate/run-log';

/** Directories of the migrations of what is no resource. */
export const CLOUD_MGMT_MIGRATIONS: readonly string[] = [
  RUN_LOG_MIGRATIONS,
  fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
];
