import { SqlRunner } from '@crate/database';
import { badRequest, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { ReadBatcher } from './read-batcher.js';

/** A server that knows objects by their name, and answers a batch in the wrong order. */
class FakeServer extends SqlRunner {
  readonly asked: string[][] = [];
  refuse: (names: readonly string[]) => Error | undefined = () => undefined;

  protected override send<R extends QueryResultRow>({ values = [] }: QueryConfig): Promise<QueryResult<R>> {
    const names = [values[3]].flat() as string[];
    this.asked.push(names);
    const error = this.refuse(names);
    if (error) return Promise.reject(error);
    const all = names.map((name, index) => ({ place: index + 1, object: { name } }));
    const rows = all.filter(({ object }) => !object.name.startsWith('no')).reverse();
    return Promise.resolve({ rows } as unknown as QueryResult<R>);
  }
}

let server: FakeServer;
let batcher: ReadBatcher;
beforeEach(() => {
  server = new FakeServer();
  batcher = new ReadBatcher(server);
});

const key = (name: string) => ({ group: 'g', kind: 'K', namespace: '', name });

describe('ReadBatcher', () => {
  it('gives everyone what he asked for, and reads together what is asked for meanwhile', async () => {
    const names = ['first', 'second', 'a', 'none', 'b', 'a', 'no-other', 'c'];
    const found = await Promise.all(names.map((name) => batcher.find(key(name))));
    expect(found).toEqual(names.map((name) => (name.startsWith('no') ? undefined : { name })));
    expect(server.asked).toEqual([['first'], ['second'], ['a', 'none', 'b', 'a', 'no-other', 'c']]);
  });

  it('does not let a key that is refused fail its neighbours', async () => {
    server.refuse = (names) => (names.includes('bad') ? badRequest('bad') : undefined);
    const finds = ['first', 'second', 'a', 'bad', 'b'].map((name) => batcher.find(key(name)));
    const [, , a, bad, b] = await Promise.allSettled(finds);
    expect([a?.status, bad?.status, b?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails all at once when the server is away, and goes on when it is back', async () => {
    server.refuse = () => unavailable('away');
    const results = await Promise.allSettled(['first', 'second', 'a', 'b'].map((name) => batcher.find(key(name))));
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    expect(server.asked).toHaveLength(3);
    server.refuse = () => undefined;
    expect(await batcher.find(key('a'))).toEqual({ name: 'a' });
  });
});
