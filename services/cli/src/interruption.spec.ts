import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { Interrupted, noteOfWhatGoesOn, whileItGoesOn } from './interruption.js';
import { runCrate } from './run-crate.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('whileItGoesOn', () => {
  it('has its note for as long as it waits', async () => {
    expect(await whileItGoesOn('It goes on', async () => noteOfWhatGoesOn())).toBe('It goes on');
    expect(noteOfWhatGoesOn()).toBeUndefined();
  });

  it('has none after a failure', async () => {
    const failed = whileItGoesOn('It goes on', async () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(noteOfWhatGoesOn()).toBeUndefined();
  });
});

describe('a command that a signal ended in order', () => {
  it.each([
    { by: undefined, want: 130 },
    { by: 'SIGTERM', want: 143 },
    { by: 'SIGHUP', want: 129 },
  ] as const)('has the code that a shell has for it: $by', async ({ by, want }) => {
    const before = process.exitCode;
    const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const stop = (): never => {
      throw new Interrupted('Stopped', by === undefined ? {} : { by });
    };
    await runCrate(['stop'], new Command().addCommand(new Command('stop').action(stop)));
    expect([process.exitCode, said.mock.calls]).toEqual([want, [['\nStopped']]]);
    process.exitCode = before;
  });
});

describe('a signal', () => {
  it('is still listened to while the command ends, since it comes twice through a parent', async () => {
    const listening: number[] = [];
    const count = (): number => listening.push(process.listenerCount('SIGINT'));
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => count() as never);
    const program = new Command().addCommand(new Command('wait').action(() => void process.emit('SIGINT', 'SIGINT')));
    await runCrate(['wait'], program);
    expect(exit).toHaveBeenCalledWith(130);
    expect(listening).toEqual([1]);
    expect(process.listenerCount('SIGINT')).toBe(0);
  });

  it.each([
    { signal: 'SIGTERM', want: 143 },
    { signal: 'SIGHUP', want: 129 },
  ] as const)('is the end of a command in order: $signal', async ({ signal, want }) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const program = new Command().addCommand(new Command('wait').action(() => void process.emit(signal, signal)));
    await runCrate(['wait'], program);
    expect(exit).toHaveBeenCalledWith(want);
  });
});
