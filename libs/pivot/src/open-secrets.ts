import type { Database } from '@crate/database';
import { AesGcmSecretBox, PostgresSecretStore } from '@crate/secrets';
import { fencedTables } from './catalog.js';
import { moveRefused, type Installation } from './installation.js';
import type { KeyCarrier } from './key-carrier.js';

interface Series extends Record<string, unknown> {
  readonly owner: string;
  readonly kind: string;
}

/**
 * Opens the newest version of every secret of the target with the target's keys, states of Terraform and of engines among them. Gives how many there are;
 * throws Conflict (`SecretDoesNotOpen`), naming the first that does not. What they hold goes nowhere.
 */
export async function openAllSecrets(target: Installation, keys: KeyCarrier): Promise<number> {
  let opened = 0;
  for (const schema of target.schemas)
    opened += await target.within(schema, (database) => openSecretsOf(database, keys));
  return opened;
}

async function openSecretsOf(database: Database, keys: KeyCarrier): Promise<number> {
  const tables = await fencedTables(database, database.schema);
  if (!tables.some(({ name }) => name === 'secret_versions')) return 0;
  const series = await database.rowsOnce<Series>(
    'SELECT DISTINCT owner_uid AS owner, kind FROM secret_versions ORDER BY 1, 2',
  );
  if (series.length === 0) return 0;
  const box = new AesGcmSecretBox(await keys.targetKeys(database.schema));
  const store = new PostgresSecretStore({ database, box });
  for (const { owner, kind } of series) await openOne(store, database.schema, owner, kind);
  return series.length;
}

async function openOne(store: PostgresSecretStore, schema: string, owner: string, kind: string): Promise<void> {
  try {
    (await store.find(owner, kind))?.plain.fill(0);
  } catch (error) {
    throw moveRefused(
      'SecretDoesNotOpen',
      `Secret "${kind}" of ${owner} in ${schema} does not open with the keys of the target`,
      {
        remedy:
          'Look whether the keys of the source are complete ("crate secrets status"): add those that are missing and run the command again, or take the move back with --rollback',
        cause: error,
      },
    );
  }
}
