import { beforeEach, describe, expect, it } from '@jest/globals';
import { SqlRunner } from '@crate/database';
import { unavailable } from '@crate/errors';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { RenewBatcher } from './renew-batcher.js';

const LEASE_MS = 100;

/** A server that answers batches in the wrong order, and knows nothing of the leases in `lost`. */
class FakeServer extends SqlRunner {
  readonly asked: string[][] = [];
  readonly lost = new Set<string>();
  isAway = false;

  protected override send<R extends QueryResultRow>({ values = [] }: QueryConfig): Promise<QueryResult<R>> {
    const names = values[2] as string[];
    this.asked.push(names);
    if (this.isAway) return Promise.reject(unavailable('away'));
    const rows = names.map((name, index) => ({ place: index + 1, name })).filter(({ name }) => !this.lost.has(name));
    return Promise.resolve({ rows: rows.reverse() } as unknown as QueryResult<R>);
  }
}

let server: FakeServer;
let alone: string[];
let batcher: RenewBatcher;
beforeEach(() => {
  server = new FakeServer();
  alone = [];
  batcher = new RenewBatcher(server, ({ key }) => {
    alone.push(key.name);
    return Promise.resolve(key.name !== 'stolen');
  });
});

const renew = (...names: string[]) =>
  Promise.all(
    names.map((name) => batcher.renew({ reconciler: 'r', key: { namespace: '', name }, epoch: 1n }, LEASE_MS)),
  );

describe('RenewBatcher', () => {
  it('renews in one statement what asks at about the same time', async () => {
    expect(await renew('a', 'b', 'c')).toEqual([true, true, true]);
    expect(await renew('d', 'e')).toEqual([true, true]);
    expect(server.asked).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    expect(alone).toEqual([]);
  });

  it('renews alone what asks alone', async () => {
    expect(await renew('a')).toEqual([true]);
    expect([server.asked, alone]).toEqual([[], ['a']]);
  });

  it('lets what no batch can renew go alone, and says what was lost', async () => {
    server.lost.add('b').add('stolen');
    expect(await renew('a', 'b', 'stolen')).toEqual([true, true, false]);
    expect(alone).toEqual(['b', 'stolen']);
  });

  it('fails all when the server is away, and goes on when it is back', async () => {
    server.isAway = true;
    await expect(renew('a', 'b')).rejects.toMatchObject({ code: 'Unavailable' });
    server.isAway = false;
    expect(await renew('a', 'b')).toEqual([true, true]);
  });
});
