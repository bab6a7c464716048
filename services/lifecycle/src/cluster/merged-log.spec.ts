import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { notFound, unavailable } from '@crate/errors';
import type { CallContext, LogChunk, LogQuery, ReadLogOptions } from '@crate/resource-client';
import { MergedLog, type LogSource } from './merged-log.js';

const CONTEXT: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const READY = { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] };

/** A log with a line each second that is told, in chunks of two lines. */
class PlayedSource {
  lines: string[] = [];
  isComplete = false;
  error: Error | undefined;

  constructor(readonly name: string) {}

  add(...seconds: readonly number[]): void {
    this.lines.push(
      ...seconds.map((second) => `2026-11-21T10:00:${String(second).padStart(2, '0')}Z ${this.name}${second}`),
    );
  }

  readonly read: LogSource['read'] = async ({ cursor, query }: ReadLogOptions): Promise<LogChunk> => {
    await Promise.resolve();
    if (this.error) throw this.error;
    const from = cursor === undefined ? Math.max(0, this.lines.length - (query.tailLines ?? Infinity)) : Number(cursor);
    const lines = this.lines.slice(from, from + 2);
    return {
      text: lines.map((line) => `${line}\n`).join(''),
      cursor: String(from + lines.length),
      isComplete: this.isComplete && lines.length === 0,
    };
  };
}

let terraform: PlayedSource;
let rke: PlayedSource;
let owner: KubeObject;
beforeEach(() => {
  terraform = new PlayedSource('t');
  rke = new PlayedSource('r');
  owner = { apiVersion: 'v1', kind: 'Cluster', metadata: { generation: 1 } } as unknown as KubeObject;
});

function read(query: LogQuery = {}, cursor?: string, waitMs = 0): Promise<LogChunk> {
  return new MergedLog([terraform, rke], owner).read(
    { query, ...(cursor === undefined ? {} : { cursor }), waitMs },
    CONTEXT,
  );
}

/** All that there is, without the names. */
async function readAll(query: LogQuery = {}): Promise<{ readonly lines: string; readonly cursor: string }> {
  const lines: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const chunk: LogChunk = await read(query, cursor);
    ({ cursor } = chunk);
    if (chunk.text === '') return { lines: lines.join(' '), cursor };
    lines.push(
      ...chunk.text
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\[.\] /, '')),
    );
  }
}

describe('MergedLog', () => {
  it.each([
    { terraform: [1, 2, 3], rke: [4, 5], want: 't1 t2 t3 r4 r5', reason: 'one after the other' },
    { terraform: [1, 4, 6], rke: [2, 3, 5, 7], want: 't1 r2 r3 t4 r5 t6 r7', reason: 'in turns' },
    { terraform: [7, 8, 9], rke: [1, 2, 3, 4, 5], want: 'r1 r2 r3 r4 r5 t7 t8 t9', reason: 'the second one first' },
    { terraform: [], rke: [1], want: 'r1', reason: 'only one' },
    { terraform: [10, 8], rke: [], want: 't10 t8', reason: 'a clock that is behind, at the end' },
    { terraform: [10, 8], rke: [9, 11], want: 'r9 t10 t8 r11', reason: 'a clock that is behind, among others' },
    {
      terraform: [10, 8, 12],
      rke: [7, 11, 13],
      want: 'r7 t10 t8 r11 t12 r13',
      reason: 'a clock that is behind, and on',
    },
    { terraform: [1, 1, 1], rke: [1], want: 't1 t1 r1 t1', reason: 'at the same time' },
  ])('gives lines in the order of time: $reason', async (given) => {
    terraform.add(...given.terraform);
    rke.add(...given.rke);
    expect((await readAll()).lines).toBe(given.want);
  });

  it('says which program a line is of, and when, if asked', async () => {
    terraform.add(1);
    expect((await read()).text).toBe('[t] t1\n');
    expect((await read({ timestamps: true })).text).toBe('2026-11-21T10:00:01Z [t] t1\n');
  });

  it('goes on from the cursor with what came since', async () => {
    terraform.add(1, 2, 3);
    rke.add(2);
    const { cursor } = await readAll();
    rke.add(5);
    expect((await read({}, cursor)).text).toBe('[r] r5\n');
  });

  it('gives the last lines of all, and then what comes', async () => {
    terraform.add(1, 3, 5);
    rke.add(2, 4);
    const tail = await read({ tailLines: 3 });
    expect(tail.text).toBe('[t] t3\n[r] r4\n[t] t5\n');
    rke.add(6);
    expect((await read({ tailLines: 3 }, tail.cursor)).text).toBe('[r] r6\n');
  });

  it('takes a source that is not there for silent, and reads it from its beginning when it comes', async () => {
    terraform.add(1);
    rke.error = notFound('kubernetesclusters', 'demo');
    const { lines, cursor } = await readAll({ tailLines: 1 });
    expect(lines).toBe('t1');
    rke.error = undefined;
    rke.add(2, 3);
    expect((await read({ tailLines: 1 }, cursor)).text).toBe('[r] r2\n[r] r3\n');
  });

  it('passes on that a source cannot be asked', async () => {
    rke.error = unavailable('cluster-mgmt is away');
    await expect(read()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each([
    { status: {}, complete: true, want: false, reason: 'the cluster is still worked on' },
    { status: READY, complete: false, want: false, reason: 'a run goes on' },
    { status: READY, complete: true, want: true, reason: 'nothing more comes' },
  ])('is complete: $want, because $reason', async ({ status, complete, want }) => {
    owner = { ...owner, status };
    terraform.isComplete = complete;
    rke.isComplete = true;
    expect((await read()).isComplete).toBe(want);
  });

  it('waits until one of them has something', async () => {
    const chunk = read({}, (await readAll()).cursor, 5_000);
    terraform.add(1);
    expect((await chunk).text).toBe('[t] t1\n');
  });

  it.each(['x', '{}', '[{}]', '[{"cursor":1},{}]'])('refuses the cursor %s', async (cursor) => {
    await expect(read({}, cursor)).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
