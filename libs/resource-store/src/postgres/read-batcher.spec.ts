import { SqlRunner } from '@crate/database';
import { badRequest, unavailable } from '@crate/errors';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { ReadBatcher } from './read-batcher.js';

/** A server that knows objects by their name, and answers a batch in the wrong order. */
class FakeServer extends SqlRunner {
  readonly asked: string[][] = [];
  refuse: (names: readonly string[]) => Error | undefined = () => undefined;

  /** Answers wait for it. */
  gate: Promise<void> = Promise.resolve();

  protected override async send<R extends QueryResultRow>({ values = [] }: QueryConfig): Promise<QueryResult<R>> {
    const names = [values[3]].flat() as string[];
    this.asked.push(names);
    await this.gate;
    const error = this.refuse(names);
    if (error) throw error;
    const all = names.map((name, index) => ({ place: index + 1, object: { name } }));
    const rows = all.filter(({ object }) => !object.name.startsWith('no')).reverse();
    return { rows } as unknown as QueryResult<R>;
  }
}

let server: FakeServer;
let batcher: ReadBatcher;
beforeEach(() => {
  server = new FakeServer();
  batcher = new ReadBatcher(server);
});

const key = (name: string) => ({ group: 'g', kind: 'K', namespace: '', name });

/** Each is asked for in a turn of its own, so that each has a statement of its own. */
async function findOneByOne(names: readonly string[]): Promise<Promise<unknown>[]> {
  const finds: Promise<unknown>[] = [];
  for (const name of names) {
    finds.push(batcher.find(key(name)));
    await new Promise((next) => setImmediate(next));
  }
  return finds;
}

describe('ReadBatcher', () => {
  it('gives everyone what he asked for, and reads together what is asked for meanwhile', async () => {
    const names = ['first', 'second', 'a', 'none', 'b', 'a', 'no-other', 'c'];
    let open = (): void => undefined;
    server.gate = new Promise((resolve) => (open = resolve));
    const finds = await findOneByOne(names);
    open();
    expect(await Promise.all(finds)).toEqual(names.map((name) => (name.startsWith('no') ? undefined : { name })));
    expect(server.asked).toEqual([['first'], ['second'], ['a', 'none', 'b', 'a', 'no-other', 'c']]);
  });

  it('reads together what one turn of the event loop asks for', async () => {
    const later = async (name: string): Promise<unknown> => Promise.resolve().then(() => batcher.find(key(name)));
    expect(await Promise.all([later('a'), later('b'), batcher.find(key('c'))])).toEqual(
      ['a', 'b', 'c'].map((name) => ({ name })),
    );
    expect(server.asked).toEqual([['c', 'a', 'b']]);
  });

  it('does not let a key that is refused fail its neighbours', async () => {
    server.refuse = (names) => (names.includes('bad') ? badRequest('bad') : undefined);
    const finds = ['a', 'bad', 'b'].map((name) => batcher.find(key(name)));
    const [a, bad, b] = await Promise.allSettled(finds);
    expect([a?.status, bad?.status, b?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails all at once when the server is away, and goes on when it is back', async () => {
    server.refuse = () => unavailable('away');
    const results = await Promise.allSettled(['a', 'b'].map((name) => batcher.find(key(name))));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(server.asked).toEqual([['a', 'b']]);
    server.refuse = () => undefined;
    expect(await batcher.find(key('a'))).toEqual({ name: 'a' });
  });
});
