import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DurableMap } from './durable-map.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'durable-map-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function contentsOf(path: string): Promise<Record<string, unknown>> {
  const map = await DurableMap.open(path);
  const contents = Object.fromEntries(map.list(''));
  await map.close();
  return contents;
}

describe('DurableMap', () => {
  it('has what was put, also before it is on disk', async () => {
    const map = await DurableMap.open(directory);
    map.put('a', { n: 1 });

    expect(map.get('a')).toEqual({ n: 1 });
    expect([...map.list('a')]).toEqual([['a', { n: 1 }]]);
    await map.close();
  });

  it('has after a reopening what was flushed before', async () => {
    const map = await DurableMap.open(directory);
    map.put('a', 1);
    map.put('b', 2);
    map.delete('a');
    map.put('b', 3);
    await map.flush();

    // Not closed: as if the process had died.
    expect(await contentsOf(directory)).toEqual({ b: 3 });
    await map.close();
  });

  it('is a prefix of the changes, wherever the last write was torn', async () => {
    const map = await DurableMap.open(directory);
    const versions: unknown[] = [{}];
    for (const n of [1, 2, 3, 4]) {
      map.put(`key-${n % 2}`, 'é'.repeat(n));
      versions.push(Object.fromEntries(map.list('')));
    }
    await map.close();
    const { length } = await readFile(join(directory, 'journal.ndjson'));

    for (let bytes = 0; bytes <= length; bytes += 1) {
      const torn = await mkdtemp(join(tmpdir(), 'durable-map-torn-'));
      await cp(directory, torn, { recursive: true });
      await truncate(join(torn, 'journal.ndjson'), bytes);
      const contents = await contentsOf(torn);
      expect(versions).toContainEqual(contents);
      await rm(torn, { recursive: true });
    }
  });

  it('goes on cleanly behind a torn line', async () => {
    await writeFile(join(directory, 'journal.ndjson'), '{"key":"a","value":1}\n{"key":"b","va');
    const map = await DurableMap.open(directory);
    map.put('c', 3);
    await map.close();

    expect(await contentsOf(directory)).toEqual({ a: 1, c: 3 });
  });

  it('refuses a journal that is damaged in its middle', async () => {
    await writeFile(join(directory, 'journal.ndjson'), '{"key":"a","value":1}\n{"key":\n{"key":"b","value":2}\n');

    await expect(DurableMap.open(directory)).rejects.toMatchObject({ code: 'Invariant' });
  });

  it('keeps the journal short, and what is in it', async () => {
    const map = await DurableMap.open(directory);
    for (let round = 0; round < 60; round += 1) {
      for (let n = 0; n < 100; n += 1) map.put(`key-${n}`, round);
      await map.flush();
    }
    await map.close();

    const lines = (await readFile(join(directory, 'journal.ndjson'), 'utf8')).split('\n').length;
    expect(lines).toBeLessThan(2_200);
    expect(await readdir(directory)).toContain('snapshot.ndjson');
    const contents = await contentsOf(directory);
    expect(Object.values(contents)).toEqual(Array.from({ length: 100 }, () => 59));
  });

  it('may die between the new snapshot and the emptied journal', async () => {
    const map = await DurableMap.open(directory);
    map.put('a', 1);
    map.put('a', 2);
    map.delete('b');
    await map.close();
    await writeFile(join(directory, 'snapshot.ndjson'), '{"key":"a","value":2}\n');

    expect(await contentsOf(directory)).toEqual({ a: 2 });
  });

  it('keeps what many writers at once were told is kept', async () => {
    const map = await DurableMap.open(directory);
    const kept = new Set<string>();
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        map.put(`key-${n}`, n);
        await map.flush();
        kept.add(`key-${n}`);
      }),
    );

    expect(kept.size).toBe(200);
    expect(Object.keys(await contentsOf(directory))).toHaveLength(200);
    await map.close();
  });
});
