import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import type { LogChunk, LogQuery } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { InMemoryLogParts } from './in-memory-log-parts.js';
import { RunLogs } from './run-logs.js';
import { RunLogWriter } from './run-log-writer.js';

const OWNER = 'infrastructure-uid';

let parts: InMemoryLogParts;
let logs: RunLogs;
let isOver: boolean;
beforeEach(() => {
  parts = new InMemoryLogParts();
  logs = new RunLogs({ parts, logger: new InMemoryLogger(), keepRuns: 3 });
  isOver = false;
});

function read(query: LogQuery = {}, cursor?: string, waitMs = 0): Promise<LogChunk> {
  const at = cursor === undefined ? {} : { cursor };
  return logs.read(OWNER, { query, ...at, waitMs, isOver: () => Promise.resolve(isOver) });
}

async function written(...lines: readonly string[]): Promise<RunLogWriter> {
  const writer = await logs.open(OWNER, randomUUID());
  for (const line of lines) writer.append(line);
  await writer.flush();
  return writer;
}

describe('RunLogs', () => {
  it('gives what was written, once, across runs', async () => {
    await written('a', 'b');
    const first = await read();
    expect(first).toMatchObject({ text: 'a\nb\n', isComplete: false });
    await written('c');
    const second = await read({}, first.cursor);
    expect(second.text).toBe('c\n');
    expect((await read({}, second.cursor)).text).toBe('');
  });

  it('gives each line once by the time of the last one, when the next run has a clock that is behind', async () => {
    const at = (now: number): RunLogs =>
      new RunLogs({ parts, logger: new InMemoryLogger(), keepRuns: 3, now: () => now });
    const add = async (writer: RunLogWriter, line: string): Promise<string> => {
      writer.append(line);
      await writer.flush();
      return (await read({ tailLines: 1, timestamps: true })).text.split(' ', 1)[0]!;
    };
    const now = Date.now();
    await add(await at(now).open(OWNER, randomUUID()), 'of replica a');
    const behind = await at(now - 60_000).open(OWNER, randomUUID());
    const since = await add(behind, 'of replica b');
    expect((await read({ since })).text).toBe('');
    await add(behind, 'later');
    expect((await read({ since })).text).toBe('later\n');
  });

  it('says that nothing more comes only when all was read', async () => {
    await written('a');
    isOver = true;
    const first = await read();
    expect(first.isComplete).toBe(false);
    expect(await read({}, first.cursor)).toMatchObject({ text: '', isComplete: true });
  });

  it('wakes who waits as soon as something is written', async () => {
    const writer = await written('a');
    const { cursor } = await read();
    const waiting = read({}, cursor, 10_000);
    writer.append('b');
    expect(await waiting).toMatchObject({ text: 'b\n' });
  });

  it('ends a wait that is not wanted any more', async () => {
    const gone = new AbortController();
    const waiting = logs.read(OWNER, {
      query: {},
      waitMs: 60_000,
      signal: gone.signal,
      isOver: () => Promise.resolve(false),
    });
    gone.abort();
    expect(await waiting).toMatchObject({ text: '', isComplete: false });
  });

  it.each([
    { tailLines: 0, want: '' },
    { tailLines: 1, want: 'd\n' },
    { tailLines: 3, want: 'b\nc\nd\n' },
    { tailLines: 9, want: 'a\nb\nc\nd\n' },
  ])('gives the last $tailLines lines, and then what comes', async ({ tailLines, want }) => {
    await written('a', 'b');
    await written('c', 'd');
    const first = await read({ tailLines });
    expect(first.text).toBe(want);
    await written('e');
    expect((await read({ tailLines }, first.cursor)).text).toBe('e\n');
  });

  it('gives lines after a time, and their times where asked', async () => {
    await written('a', 'b', 'c');
    const { text } = await read({ timestamps: true });
    const [, second = ''] = text.split('\n');
    expect(second).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z b$/);
    const since = second.split(' ', 1)[0] ?? '';
    expect((await read({ since })).text).toBe('c\n');
    expect((await read({ since: '2000-01-01T00:00:00+01:00' })).text).toBe('a\nb\nc\n');
  });

  it('keeps the newest runs', async () => {
    for (const line of ['a', 'b', 'c', 'd', 'e']) await written(line);
    expect((await read()).text).toBe('c\nd\ne\n');
  });

  it('forgets', async () => {
    await written('a');
    await logs.forget(OWNER);
    expect((await read()).text).toBe('');
  });

  it('refuses a cursor that it did not make', async () => {
    await expect(read({}, '1; DROP TABLE')).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('gives a long log in chunks that fit into a message', async () => {
    const writer = await logs.open(OWNER, randomUUID());
    for (let i = 0; i < 900; i++) writer.append(`${i} ${'x'.repeat(1000)}`);
    await writer.flush();
    let all = '';
    let cursor: string | undefined;
    for (let chunk = await read(); chunk.text !== ''; chunk = await read({}, cursor)) {
      expect(chunk.text.length).toBeLessThan(200 * 1024);
      all += chunk.text;
      ({ cursor } = chunk);
    }
    expect(all.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...Array.from({ length: 900 }, (_, i) => `${i}`),
      '',
    ]);
  });
});

describe('RunLogWriter', () => {
  function aWriter(maxCharacters?: number): RunLogWriter {
    const logger = new InMemoryLogger();
    const limit = maxCharacters === undefined ? {} : { maxCharacters };
    return new RunLogWriter({ parts, owner: OWNER, run: randomUUID(), logger, onStored: () => undefined, ...limit });
  }

  it('drops the beginning of what is too long, and a reader is told how much', async () => {
    const writer = aWriter(100_000);
    for (let i = 1; i <= 300; i++) writer.append(`${i} ${'x'.repeat(1000)}`);
    await writer.flush();
    const { text } = await read();
    const [mark = '', first = ''] = text.split('\n');
    expect(mark).toMatch(/^\[\d+ lines of this run are not kept\]$/);
    expect(Number(first.split(' ')[0])).toBe(Number(/\d+/.exec(mark)?.[0]) + 1);
  });

  it('keeps what it could not store for the next try', async () => {
    const writer = aWriter();
    const add = parts.add.bind(parts);
    parts.add = () => Promise.reject(unavailable('The database is away'));
    writer.append('a');
    await writer.flush();
    parts.add = add;
    writer.append('b');
    await writer.flush();
    expect((await read()).text).toBe('a\nb\n');
  });

  it('stores the last line also when nobody asks for it once more', async () => {
    const writer = await logs.open(OWNER, randomUUID());
    const add = parts.add.bind(parts);
    parts.add = () => Promise.reject(unavailable('The database is away'));
    writer.append('=== run failed');
    await writer.flush();
    parts.add = add;
    expect((await read({}, undefined, 10_000)).text).toBe('=== run failed\n');
  });

  it('bounds what waits while the database is away, and says what is missing', async () => {
    const writer = aWriter();
    const add = parts.add.bind(parts);
    parts.add = () => Promise.reject(unavailable('The database is away'));
    for (let i = 1; i <= 2000; i++) writer.append(`${i} ${'x'.repeat(1000)}`);
    await writer.flush();
    parts.add = add;
    await writer.flush();
    expect((await read()).text).toMatch(/^\[9\d\d lines of this run are not kept\]\n9\d\d x/);
  });

  it('takes several lines, NUL characters and endless lines as they can be stored', async () => {
    const writer = aWriter();
    writer.append('a\r\nb\0c');
    writer.append('x'.repeat(10_000));
    await writer.flush();
    const [a, b, long = ''] = (await read()).text.split('\n');
    expect([a, b]).toEqual(['a', 'bc']);
    expect(long).toHaveLength(8 * 1024 + ' [cut]'.length);
  });
});
