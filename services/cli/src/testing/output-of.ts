import { jest } from '@jest/globals';
import type { Command } from 'commander';

/** What a command wrote, and the exit code that it asked for. */
export interface Written {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command in this process. */
export async function outputOf(command: Command, args: readonly string[]): Promise<Written> {
  const written = { stdout: '', stderr: '' };
  const before = process.exitCode;
  process.exitCode = 0;
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.stdout += String(text)))),
    jest.spyOn(console, 'log').mockImplementation((line: string) => void (written.stdout += `${line}\n`)),
    jest.spyOn(console, 'error').mockImplementation((line: string) => void (written.stderr += `${line}\n`)),
  ];
  try {
    await throwing(command).parseAsync(args, { from: 'user' });
    return { ...written, exitCode: Number(process.exitCode) };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** Mistakes in a command line are thrown by every command. */
function throwing(command: Command): Command {
  for (const each of command.commands) throwing(each);
  return command.exitOverride();
}
