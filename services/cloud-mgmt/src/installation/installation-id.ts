import { randomUUID } from 'node:crypto';
import type { Database } from '@crate/database';
import { invariant } from '@crate/errors';

/**
 * Which installation this is: a random id that is made at the first start and kept in the database, so that a restored backup is
 * the same installation. Everything in the cloud carries it. Idempotent, also when replicas start at once.
 */
export async function ensureInstallationId(database: Pick<Database, 'rows' | 'firstRow'>): Promise<string> {
  await database.rows('INSERT INTO installation (id) VALUES ($1) ON CONFLICT DO NOTHING', [randomUUID()]);
  const row = await database.firstRow<{ id: string }>('SELECT id::text FROM installation');
  if (!row) throw invariant('The installation has no id');
  return row.id;
}
