import { mkdirSync, mkdtempSync, appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aRun } from '../testing/a-world.js';
import { JournalTail } from './journal-tail.js';
import { KeptCloud } from './kept-cloud.js';
import type { RunRow } from './records.js';

let directory: string;
const file = (name: string): string => join(directory, 'cloud', name);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kept-cloud-'));
  mkdirSync(join(directory, 'cloud'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const line = (id: string, version?: number): string =>
  `${JSON.stringify({ key: `object/${id}`, ...(version === undefined ? {} : { value: { id, version } }) })}\n`;
const write = (text: string): void => appendFileSync(file('journal.ndjson'), text);

/** As the sandbox does: the new snapshot is in place before the journal is emptied. */
function compact(text: string): void {
  writeFileSync(file('snapshot.ndjson.new'), text);
  renameSync(file('snapshot.ndjson.new'), file('snapshot.ndjson'));
}

describe('the journal of the simulated cloud, bit by bit', () => {
  it('tells what was done since the last time, and a line once it is whole', async () => {
    write(line('a', 1));
    const tail = new JournalTail(directory);
    expect(await tail.read()).toMatchObject([{ after: { id: 'a' } }]);
    expect(await tail.read()).toEqual([]);
    const cut = line('b', 1);
    write(line('a', 2) + line('a') + cut.slice(0, -4));
    expect(await tail.read()).toMatchObject([
      { before: { version: 1 }, after: { version: 2 } },
      { before: { version: 2 } },
    ]);
    write(cut.slice(-4));
    expect(await tail.read()).toEqual([{ after: { id: 'b', version: 1 } }]);
  });

  it('tells of what a new snapshot has swallowed what came of it, and nothing twice', async () => {
    write(line('a', 1) + line('b', 1));
    const tail = new JournalTail(directory);
    await tail.read();
    write(line('a', 2) + line('a', 3) + line('b'));
    compact(line('a', 3));
    expect(await tail.read()).toMatchObject([
      { before: { version: 1 }, after: { version: 3 } },
      { before: { id: 'b' } },
    ]);
    truncateSync(file('journal.ndjson'));
    write(line('c', 1));
    expect(await tail.read()).toEqual([{ after: { id: 'c', version: 1 } }]);
  });
});

describe('what was done in the cloud', () => {
  it('is kept with the runs of then, also of those that are forgotten', async () => {
    write(line('a', 1));
    const goes = aRun({ id: 'run-2', ended_at: null });
    let rows: readonly RunRow[] = [aRun(), goes];
    const records = { runs: (): Promise<readonly RunRow[]> => Promise.resolve(rows) };
    await KeptCloud.during(directory, records, async (doings) => {
      await doings.read();
      rows = [];
      write(line('b', 1));
      const { cloudChanges, keptRuns } = await doings.read();
      expect(cloudChanges).toMatchObject([{ after: { id: 'b' } }]);
      expect(cloudChanges.every(({ since, until }) => since <= until)).toBe(true);
      expect(keptRuns).toEqual([aRun(), { ...goes, ended_at: expect.any(Date) }]);
    });
  });
});
