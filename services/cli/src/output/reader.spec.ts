import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { runCrate } from '../run-crate.js';
import { endWithReader } from './reader.js';

const EPIPE = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

afterEach(() => {
  jest.restoreAllMocks();
});

interface End {
  /** Whether it came to its own end. */
  readonly isDone: boolean;
  readonly code: unknown;
}

/** Runs what writes to somebody who is gone. */
async function endOf(begin: () => void, end: () => void = () => undefined): Promise<End> {
  const before = process.exitCode;
  process.exitCode = undefined;
  const atExit: (() => void)[] = [];
  jest.spyOn(process, 'once').mockImplementation((_name, work) => {
    atExit.push(work as () => void);
    return process;
  });
  jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('Exit');
  });
  let isDone = false;
  const write = (): void => {
    begin();
    for (const stream of [process.stdout, process.stderr]) stream.emit('error', EPIPE);
    end();
    isDone = true;
  };
  try {
    await runCrate(['x'], new Command().addCommand(new Command('x').action(write))).catch(() => undefined);
    for (const work of atExit) work();
    return { isDone, code: process.exitCode };
  } finally {
    process.exitCode = before;
  }
}

const nothing = (): void => undefined;

describe('a command whose reader is gone', () => {
  it('finishes what it does, and ends as a shell sees what a pipe ended', async () => {
    expect(await endOf(nothing)).toEqual({ isDone: true, code: 141 });
  });

  it('keeps the exit code of a failure before and after', async () => {
    const fail = (): void => void (process.exitCode = 4);
    expect(await endOf(fail)).toEqual({ isDone: true, code: 4 });
    expect(await endOf(nothing, fail)).toEqual({ isDone: true, code: 4 });
  });

  it('ends at once where it only prints', async () => {
    expect(await endOf(endWithReader)).toEqual({ isDone: false, code: 141 });
  });
});
