import { fileURLToPath } from 'node:url';
import type { SealedTable } from '@crate/secrets';
import { DOCUMENT_TABLE } from './memory/document.sealing.js';

/** Directories of the migrations of what is no resource. */
export const POLICY_MGMT_MIGRATIONS: readonly string[] = [fileURLToPath(new URL('../migrations', import.meta.url))];

/** Those of them in which records stand under the encryption keys. */
export const POLICY_MGMT_SEALED_TABLES: readonly SealedTable[] = [DOCUMENT_TABLE];
