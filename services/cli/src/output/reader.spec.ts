import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { runCrate } from '../run-crate.js';
import { endWithReader } from './reader.js';

const EPIPE = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
const ENOSPC = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });

afterEach(() => {
  jest.restoreAllMocks();
});

interface End {
  /** Whether it came to its own end. */
  readonly isDone: boolean;
  readonly code: unknown;
}

/** Runs what writes to somebody who is gone, or fails otherwise. */
async function endOf(begin: () => void, end: () => void = () => undefined, error = EPIPE): Promise<End> {
  const before = process.exitCode;
  process.exitCode = undefined;
  const atExit = new Set<() => void>();
  jest.spyOn(process, 'once').mockImplementation((_name, work) => {
    atExit.add(work as () => void);
    return process;
  });
  jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('Exit');
  });
  let isDone = false;
  const write = (): void => {
    begin();
    for (const stream of [process.stdout, process.stderr]) stream.emit('error', error);
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

describe('a command whose output goes nowhere', () => {
  it('finishes what it does, and ends as a shell sees what a pipe ended', async () => {
    expect(await endOf(nothing)).toEqual({ isDone: true, code: 141 });
  });

  it('keeps the exit code of a failure before and after', async () => {
    const fail = (): void => void (process.exitCode = 4);
    expect(await endOf(fail)).toEqual({ isDone: true, code: 4 });
    expect(await endOf(nothing, fail)).toEqual({ isDone: true, code: 4 });
  });

  it('says at its end what is lost where no space is left, and fails', async () => {
    const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await endOf(nothing, nothing, ENOSPC)).toEqual({ isDone: true, code: 1 });
    expect(said.mock.calls).toEqual([['crate: Cannot write all of the output: no space is left there']]);
  });

  it.each([
    { error: EPIPE, code: 141 },
    { error: ENOSPC, code: 1 },
  ])('ends at once where it only prints: $error.code', async ({ error, code }) => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await endOf(endWithReader, nothing, error)).toEqual({ isDone: false, code });
  });
});
