import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal, type JournalEntry, type Result } from './journal.js';
import { tableOf, violatedIn } from './summary.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chaos-journal-'));
  file = join(directory, 'journal.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

const entry = (what: string, result: Result, ms = 1_000): Omit<JournalEntry, 'at' | 'commit'> => ({
  kind: 'point',
  what,
  result,
  ms,
  boundMs: 60_000,
});

describe('a journal of what was run', () => {
  it('goes on where another process was killed, whatever was in its last line', () => {
    const first = Journal.open(file, 'abc');
    first.noteAddresses(['a', 'b']);
    first.note(entry('a', 'sound'));
    appendFileSync(file, '{"kind":"point","what":"b","resu');
    const second = Journal.open(file, 'def');
    expect(second.addresses).toEqual(['a', 'b']);
    expect(second.currentAddresses).toBeUndefined();
    expect(Journal.open(file, 'abc').currentAddresses).toEqual(['a', 'b']);
    expect(second.isDone('a')).toBe(true);
    expect(second.isDone('b')).toBe(false);
  });

  it.each<{ reason: string; results: Result[]; want: boolean }>([
    { reason: 'nothing is to be learnt from a violation that is known', results: ['violated'], want: true },
    { reason: 'the test failed, not the product', results: ['not judged'], want: false },
    { reason: 'time may have been in the way', results: ['not reached'], want: false },
    { reason: 'it does not come', results: ['not reached', 'not reached'], want: true },
  ])('knows what is to be run again: $reason', ({ results, want }) => {
    const journal = Journal.open(file, 'abc');
    for (const result of results) journal.note(entry('a', result));
    expect(journal.isDone('a')).toBe(want);
  });

  it('does not take a seed for done whose schedule has become another one', () => {
    const journal = Journal.open(undefined, 'abc');
    journal.note({ ...entry('--seed 1', 'sound'), kind: 'seed', schedule: 'old' });
    expect(journal.isDone('--seed 1', 'old')).toBe(true);
    expect(journal.isDone('--seed 1', 'new')).toBe(false);
  });

  it('is summed up by the last result of each, and keeps every violation', () => {
    const journal = Journal.open(file, 'abc');
    journal.noteAddresses(['a', 'b', 'c']);
    journal.note({ ...entry('a', 'violated'), violations: [{ invariant: 'no orphans', message: 'i-1' }] });
    journal.note(entry('a', 'sound', 3_000));
    journal.note(entry('b', 'not reached'));
    expect(tableOf(journal)).toContain('| kill points | 3 | 2 | 1 | 0 | 1 | 0 | 3 s | 3 s |');
    expect(violatedIn(journal)).toEqual([expect.stringContaining('abc a\n  no orphans: i-1')]);
  });
});
