import type { KubeObject } from '@crate/api';
import { Batcher, type SqlRunner } from '@crate/database';
import type { ObjectKey } from '../resource-store.js';

interface FoundRow {
  /** Place of the key among those asked for, from 1. */
  readonly place: number;
  readonly object: KubeObject;
}

const BY_KEY = 'SELECT object FROM resources WHERE api_group = $1 AND kind = $2 AND namespace = $3 AND name = $4';
const BY_KEYS = `SELECT wanted.place::int AS place, stored.object
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
    AS wanted (api_group, kind, namespace, name, place)
  JOIN resources AS stored USING (api_group, kind, namespace, name)`;

/**
 * Reads objects by their keys, many in one statement when many are asked for at once. A read begins after it was asked for, so
 * that it sees every write that was acknowledged before.
 */
export class ReadBatcher {
  private readonly reads = new Batcher<ObjectKey, KubeObject | undefined>({
    run: (keys) => this.read(keys),
    // One on its way to the server while the answer of the other is taken apart.
    atATime: 2,
  });

  constructor(private readonly sql: SqlRunner) {}

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    return this.reads.ask(key);
  }

  private async read(keys: readonly ObjectKey[]): Promise<readonly (KubeObject | undefined)[]> {
    const columns = (['group', 'kind', 'namespace', 'name'] as const).map((part) => keys.map((key) => key[part]));
    if (keys.length === 1) {
      const row = await this.sql.firstRow<Pick<FoundRow, 'object'>>(BY_KEY, columns.flat());
      return [row?.object];
    }
    const found = new Array<KubeObject | undefined>(keys.length).fill(undefined);
    for (const { place, object } of await this.sql.rows<FoundRow & Record<string, unknown>>(BY_KEYS, columns)) {
      found[place - 1] = object;
    }
    return found;
  }
}
