import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileJournal } from '../index.js';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-journal-'));
  file = join(directory, 'journal.jsonl');
});
afterEach(async () => rm(directory, { recursive: true }));

/** Opens the journal as the next process would, and gives what it finds. */
async function contents(): Promise<readonly unknown[]> {
  const journal = await openFileJournal(directory);
  const entries = await journal.read();
  await journal.close();
  return entries;
}

describe('openFileJournal', () => {
  it('begins empty, in a directory it makes', async () => {
    const journal = await openFileJournal(join(directory, 'deep', 'down'));

    expect(await journal.read()).toEqual([]);
    await journal.close();
  });

  it('gives back in order what was appended, by this and by earlier processes', async () => {
    const first = await openFileJournal(directory);
    first.append({ n: 1 });
    first.append('two\nlines');
    await first.close();
    const second = await openFileJournal(directory);
    expect(await second.read()).toEqual([{ n: 1 }, 'two\nlines']);
    second.append(3);
    await second.close();

    expect(await contents()).toEqual([{ n: 1 }, 'two\nlines', 3]);
  });

  it('has an entry in the file before append returns, so that a killed process loses nothing', async () => {
    const journal = await openFileJournal(directory);
    journal.append({ n: 1 });

    expect(await readFile(file, 'utf8')).toBe('{"n":1}\n');
    await journal.close();
  });

  it('survives a cut at every byte: the torn last entry goes, the rest stays', async () => {
    const journal = await openFileJournal(directory);
    const entries = [{ n: 1 }, { text: 'ä😀' }, { n: 3 }];
    entries.forEach((entry) => journal.append(entry));
    await journal.close();
    const whole = await readFile(file);

    for (let length = whole.length; length >= 0; length -= 1) {
      await writeFile(file, whole.subarray(0, length));
      const kept = whole.subarray(0, length).toString('latin1').split('\n').length - 1;
      expect(await contents()).toEqual(entries.slice(0, kept));
    }
  });

  it('appends behind a torn entry without mixing with it', async () => {
    await writeFile(file, '{"n":1}\n{"n":');
    const journal = await openFileJournal(directory);
    journal.append({ n: 2 });
    await journal.close();

    expect(await contents()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('refuses damage before the last line, naming the place', async () => {
    await writeFile(file, '{"n":1}\n{"n":\n{"n":3}\n');

    await expect(openFileJournal(directory)).rejects.toMatchObject({
      code: 'Invariant',
      message: expect.stringContaining('line 2'),
    });
  });

  it('replaces everything at once, and goes on behind it', async () => {
    const journal = await openFileJournal(directory);
    for (let n = 0; n < 1000; n += 1) journal.append({ n });
    const { size } = await stat(file);
    await journal.replace([{ base: 1 }, { n: 999 }]);
    journal.append({ n: 1000 });
    await journal.close();

    expect((await stat(file)).size).toBeLessThan(size / 100);
    expect(await contents()).toEqual([{ base: 1 }, { n: 999 }, { n: 1000 }]);
  });

  it('ignores the remains of a replacement that was interrupted', async () => {
    await writeFile(file, '{"n":1}\n');
    await writeFile(`${file}.new`, '{"base"');
    const journal = await openFileJournal(directory);
    await journal.replace([{ n: 2 }]);
    await journal.close();

    expect(await contents()).toEqual([{ n: 2 }]);
  });

  it('shares a sync among many callers', async () => {
    const journal = await openFileJournal(directory);
    const flushes = Array.from({ length: 100 }, (_, n) => {
      journal.append(n);
      return journal.flush();
    });
    await Promise.all(flushes);
    await journal.close();

    expect(await contents()).toHaveLength(100);
  });

  it('reads a long file in one go', async () => {
    await appendFile(file, `${JSON.stringify({ text: 'x'.repeat(1_000_000) })}\n`.repeat(5));
    await truncate(file, (await stat(file)).size - 1);

    expect(await contents()).toHaveLength(4);
  });
});
