import type { KubeObject } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import { hasCode } from '@crate/errors';
import type { ObjectKey } from '../resource-store.js';

interface Waiting {
  readonly key: ObjectKey;
  readonly resolve: (object: KubeObject | undefined) => void;
  readonly reject: (error: unknown) => void;
}

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

/** One on its way to the server while the answer of the other is taken apart. */
const AT_A_TIME = 2;
const LARGEST_BATCH = 64;

/**
 * Reads objects by their keys, many in one statement when many are asked for at once. A read begins after it was asked for, so
 * that it sees every write that was acknowledged before.
 */
export class ReadBatcher {
  private readonly queue: Waiting[] = [];
  private underWay = 0;

  constructor(private readonly sql: SqlRunner) {}

  async find(key: ObjectKey): Promise<KubeObject | undefined> {
    return new Promise((resolve, reject) => {
      this.queue.push({ key, resolve, reject });
      // Once everything that this turn of the event loop asks for has been asked: passes that begin together read together.
      if (this.queue.length === 1) process.nextTick(() => this.pump());
    });
  }

  private pump(): void {
    while (this.underWay < AT_A_TIME && this.queue.length > 0) {
      this.underWay += 1;
      void this.run(this.queue.splice(0, LARGEST_BATCH)).finally(() => {
        this.underWay -= 1;
        this.pump();
      });
    }
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      const found = await this.read(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(found[index]));
    } catch (error) {
      await this.fail(batch, error);
    }
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

  /** One key that the server cannot take must not fail its neighbours. */
  private async fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const isHopeless = hasCode(error, 'Unavailable', 'Timeout') || batch.length === 1;
    if (isHopeless) return batch.forEach(({ reject }) => reject(error));
    for (const waiting of batch) await this.run([waiting]);
  }
}
