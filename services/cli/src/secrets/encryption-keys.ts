import { join } from 'node:path';
import { Database } from '@crate/database';
import { keyUses, listKeyFiles, type KeyUse } from '@crate/secrets';
import { formatTable } from '../progress/table.js';
import { installedServices } from '../recovery/installed-services.js';
import { platformAt, schemaOf } from '../recovery/service-schema.js';
import type { DataDir } from '../up/data-dir.js';
import { findText } from '../up/secret-file.js';
import { unavailable } from '@crate/errors';
import { SERVICE_ORDER } from '../up/service-order.js';

/** Tables that a service has of its own beside secrets: a sealed row holds its wrapped data key. */
const SEALED_TABLES = `SELECT table_name AS name FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name = 'wrapped_key' AND table_name <> 'secret_versions'
  ORDER BY table_name`;

/** One key-encryption key of one service. */
export interface EncryptionKeyRow {
  readonly service: string;
  readonly keyId: string;
  /** `missing`: records stand under a key whose file is not there. */
  readonly state: 'newest' | 'older' | 'missing';
  readonly records: number;
}

/** Directory of a service's key-encryption keys. */
export function keysDirectory(dir: DataDir, service: string): string {
  return join(dir.service(service), 'encryption');
}

/** Every key of every service of the platform, and what stands under it. */
export async function listEncryptionKeys(dir: DataDir): Promise<readonly EncryptionKeyRow[]> {
  const rows = await Promise.all(SERVICE_ORDER.map((service) => rowsOf(dir, service)));
  return rows.flat();
}

/** The same for people, a line each. */
export function keyTable(rows: readonly EncryptionKeyRow[]): readonly string[] {
  const cells = rows.map(({ service, keyId, state, records }) => [service, keyId, state, String(records)]);
  return formatTable(['SERVICE', 'KEY', 'STATE', 'RECORDS'], cells);
}

/** What stands under the keys of one service; nothing where it never ran. Throws NotFound where the database is none of Crate. */
export async function usesOf(dir: DataDir, service: string): Promise<readonly KeyUse[]> {
  const url = await findText(join(dir.service('postgres'), 'database-url'));
  if (url === undefined) throw unavailable(`There is no database in ${dir.root}`);
  const installed: readonly string[] = await installedServices(platformAt(url));
  if (!installed.includes(service)) return [];
  const database = new Database({
    url,
    schema: schemaOf(service),
    applicationName: 'crate-secrets',
    maxConnections: 1,
  });
  try {
    const tables = await database.rowsOnce<{ readonly name: string }>(SEALED_TABLES);
    const names = tables.map(({ name }) => name);
    return await keyUses(async (sql) => ({ rows: await database.rowsOnce(sql) }), names);
  } finally {
    await database.close();
  }
}

async function rowsOf(dir: DataDir, service: string): Promise<readonly EncryptionKeyRow[]> {
  const [files, uses] = await Promise.all([listKeyFiles(keysDirectory(dir, service)), usesOf(dir, service)]);
  const ids = [...new Set([...files, ...uses.map(({ keyId }) => keyId)])].sort();
  return ids.map((keyId) => ({
    service,
    keyId,
    state: stateOf(keyId, files),
    records: uses.find((use) => use.keyId === keyId)?.records ?? 0,
  }));
}

function stateOf(keyId: string, files: readonly string[]): EncryptionKeyRow['state'] {
  if (!files.includes(keyId)) return 'missing';
  return files.at(-1) === keyId ? 'newest' : 'older';
}
