import { beforeEach, describe, expect, it } from '@jest/globals';
import { SqlRunner } from '@crate/database';
import { invariant, timeout, unavailable } from '@crate/errors';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { FinishBatcher, type EndedPass } from './finish-batcher.js';

/** A server that answers batches in the wrong order, and knows nothing of the leases in `lost`. */
class FakeServer extends SqlRunner {
  readonly asked: string[][] = [];
  readonly lost = new Set<string>();
  isAway = false;
  refusal: Error | undefined;

  protected override send<R extends QueryResultRow>({ values = [] }: QueryConfig): Promise<QueryResult<R>> {
    const names = values[2] as string[];
    this.asked.push(names);
    if (this.isAway) return Promise.reject(unavailable('away'));
    if (this.refusal) return Promise.reject(this.refusal);
    const rows = names.map((name, index) => ({ place: index + 1, due_in_ms: Number(name) - 1, name }));
    const held = rows.filter(({ name }) => !this.lost.has(name)).reverse();
    return Promise.resolve({ rows: held } as unknown as QueryResult<R>);
  }
}

let server: FakeServer;
let alone: string[];
let batcher: FinishBatcher;
beforeEach(() => {
  server = new FakeServer();
  alone = [];
  batcher = new FinishBatcher(server, ({ claim }) => {
    alone.push(claim.key.name);
    return Promise.resolve(claim.key.name === 'stolen' ? undefined : 7);
  });
});

function ended(name: string): EndedPass {
  return {
    claim: { reconciler: 'r', key: { namespace: '', name }, epoch: 1n },
    afterMs: 0,
    failed: false,
    settled: false,
  };
}

const finish = (...names: string[]) => Promise.all(names.map((name) => batcher.finish(ended(name))));

describe('FinishBatcher', () => {
  it('gives back together what ends together, and what ends meanwhile in the next statement', async () => {
    const first = finish('0', '20', '30');
    await new Promise((next) => process.nextTick(next));
    expect(await Promise.all([first, finish('4', '5')])).toEqual([
      [0, 19, 29],
      [3, 4],
    ]);
    expect(server.asked).toEqual([
      ['0', '20', '30'],
      ['4', '5'],
    ]);
    expect(alone).toEqual([]);
  });

  it('gives back alone what ended alone', async () => {
    expect(await finish('1')).toEqual([7]);
    expect(server.asked).toEqual([]);
  });

  it('lets what no batch can give back go alone, and says when it was lost', async () => {
    server.lost.add('2').add('stolen');
    expect(await finish('1', '2', 'stolen', '4')).toEqual([0, 7, undefined, 3]);
    expect(alone).toEqual(['2', 'stolen']);
  });

  it.each([
    { how: 'refuses them together', refusal: invariant('22008') },
    { how: 'takes too long for them together', refusal: timeout('The database took too long') },
  ])('lets each go alone when the server $how', async ({ refusal }) => {
    server.refusal = refusal;
    expect(await finish('1', 'stolen')).toEqual([7, undefined]);
    expect(alone).toEqual(['1', 'stolen']);
  });

  it('fails all when the server is away, and goes on when it is back', async () => {
    server.isAway = true;
    const results = await Promise.allSettled(['1', '2'].map((name) => batcher.finish(ended(name))));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    server.isAway = false;
    expect(await finish('1', '2')).toEqual([0, 1]);
  });
});
