import type { SqlRunner } from '@crate/database';

/** Where an object lies, and what it is called. */
export interface NamedObject {
  readonly namespace?: string;
  readonly name: string;
}

/** Names of stored objects by their uids; what is not stored any more is called by its uid. */
export async function objectNames(database: SqlRunner, uids: readonly string[]): Promise<(uid: string) => NamedObject> {
  if (uids.length === 0) return (uid) => ({ name: uid });
  const rows = await database.rows<{ uid: string; namespace: string; name: string }>(
    'SELECT uid, namespace, name FROM resources WHERE uid = ANY($1)',
    [[...new Set(uids)]],
  );
  const known = new Map(
    rows.map(({ uid, namespace, name }) => [uid, namespace === '' ? { name } : { namespace, name }]),
  );
  return (uid) => known.get(uid) ?? { name: uid };
}
