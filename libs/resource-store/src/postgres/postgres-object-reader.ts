import type { KubeObject } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import type { GuardedObjects } from '../guard.js';
import { ObjectReader } from '../object/write-plan.js';
import type { ObjectKey } from '../resource-store.js';
import { ReadBatcher } from './read-batcher.js';

interface ObjectRow {
  readonly object: KubeObject;
}

const BY_UID = 'SELECT object FROM resources WHERE uid = $1';
const DEPENDENTS = `SELECT object FROM resources WHERE owner_uids @> jsonb_build_array($1::text)
  ORDER BY namespace, name`;
const DIGEST = 'SELECT digest_of_resources($1::jsonb) AS digest';
const REMOVED = `SELECT 1 AS found FROM resource_changes WHERE uid = $1 AND type = 'DELETED'`;

/** Objects that a request or a write is about. */
export class PostgresObjectReader extends ObjectReader {
  private readonly batcher: ReadBatcher;

  constructor(private readonly sql: SqlRunner) {
    super();
    this.batcher = new ReadBatcher(sql);
  }

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    return this.batcher.find(key);
  }

  async findByUid(uid: string): Promise<KubeObject | undefined> {
    return (await this.sql.firstRow<ObjectRow>(BY_UID, [uid]))?.object;
  }

  async dependentsOf(uid: string): Promise<readonly KubeObject[]> {
    return (await this.sql.rows<ObjectRow>(DEPENDENTS, [uid])).map((row) => row.object);
  }

  async wasRemoved(uid: string): Promise<boolean> {
    return (await this.sql.firstRow(REMOVED, [uid])) !== undefined;
  }

  async digest({ group, kind, namespace, name }: GuardedObjects): Promise<string> {
    const guard = JSON.stringify({ group, kind, namespace, ...(name === undefined ? {} : { name }) });
    return (await this.sql.firstRow<{ readonly digest: string }>(DIGEST, [guard]))?.digest ?? '';
  }
}
