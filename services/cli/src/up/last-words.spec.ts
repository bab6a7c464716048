import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { constants } from 'node:buffer';
import { appendFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { lastWords } from './last-words.js';

let dir: DataDir;
beforeEach(async () => {
  dir = await temporaryDataDir();
  await mkdir(dir.logs());
});
afterEach(async () => removeDataDir(dir));

const line = (level: string, msg: string, message?: string): string =>
  JSON.stringify({ level, msg, ...(message === undefined ? {} : { error: { message } }) });

describe('lastWords', () => {
  it.each([
    {
      reason: 'the last error, whatever came after it',
      log: [line('error', 'Failed', 'first'), line('error', 'Failed', 'second'), line('info', 'Stopped')],
      want: 'second',
    },
    { reason: 'the message of an error line without an error', log: [line('error', 'Failed')], want: 'Failed' },
    {
      reason: 'the last line of what is no log of ours',
      log: ['Starting', 'crate: Port 1 is taken'],
      want: 'Port 1 is taken',
    },
    {
      reason: 'all that this program said at its end',
      log: ['Starting', 'crate: Two settings are wrong:', '  A: expected a number', 'Mend them'],
      want: 'Two settings are wrong:\n  A: expected a number\nMend them',
    },
    {
      reason: 'what is whole when the last line is cut off',
      log: [line('error', 'Failed', 'why'), '{"level":"err'],
      want: 'why',
    },
    { reason: 'nothing of an empty log', log: [], want: '' },
  ])('gives $reason', async ({ log, want }) => {
    await writeFile(dir.log('x'), log.map((each) => `${each}\n`).join(''));
    expect(await lastWords(dir.log('x'))).toBe(want);
  });

  it('reads the end alone of a log that is larger than any text', async () => {
    await writeFile(dir.log('x'), '');
    await truncate(dir.log('x'), constants.MAX_STRING_LENGTH + 1); // A hole: it takes no room on the disk.
    await appendFile(dir.log('x'), `\n${line('error', 'Failed', 'why')}\n`);
    expect(await lastWords(dir.log('x'))).toBe('why');
  });

  it('gives nothing of a log that is not there', async () => {
    expect(await lastWords(dir.log('x'))).toBe('');
  });
});
