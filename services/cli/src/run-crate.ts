import { CommanderError, type Command } from 'commander';
import { isPlatformError } from '@crate/errors';
import { CODES_OF_SIGNALS, EXIT_CODES, exitCodeOf } from './exit-codes.js';
import { Interrupted, noteOfWhatGoesOn, STOP_SIGNALS, type StopSignal } from './interruption.js';
import { errorLines } from './output/error-text.js';
import { outputLost } from './output/reader.js';
import { createProgram } from './program.js';

/** As programs are asked everywhere. No option of the program: commands have one of that name, for another version. */
const VERSION = ['version', '--client'];

/** Runs a command line to its end, and sets the exit code. What is not ours is thrown: it is a bug. */
export async function runCrate(args: readonly string[], program = createProgram()): Promise<void> {
  // Not once: who started this hands the terminal's signal on, and a second one would kill it before it has said what goes on.
  for (const signal of STOP_SIGNALS) process.on(signal, interrupted);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', outputLost);
  try {
    await withUsageErrors(program).parseAsync(args[0] === '--version' ? VERSION : args, { from: 'user' });
  } catch (error) {
    process.exitCode = told(error);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, interrupted);
  }
}

/** Nothing is under way that would have to be ended in order: commands of which that is not so listen themselves. */
function interrupted(signal: StopSignal): void {
  if (process.listenerCount(signal) > 1) return;
  const note = noteOfWhatGoesOn();
  // Behind progress, which is ended at the exit as well, and before this.
  if (note !== undefined) process.once('exit', () => console.error(note));
  process.exit(CODES_OF_SIGNALS[signal]);
}

function told(error: unknown): number {
  // Commander has said what is wrong already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  if (error instanceof Interrupted) return interruptedAt(error);
  if (!isPlatformError(error)) throw error;
  const [first = '', ...rest] = errorLines(error);
  console.error(`crate: ${first}`);
  for (const line of rest) console.error(line);
  return exitCodeOf(error);
}

/** The line of the question has no end yet. */
function interruptedAt({ message, by }: Interrupted): number {
  console.error(`\n${message}`);
  return CODES_OF_SIGNALS[by];
}

/** Mistakes in a command line are thrown, with a hint where to look. Settings are not handed on to commands by themselves. */
function withUsageErrors(command: Command): Command {
  command.exitOverride().showHelpAfterError('(add --help for the options)');
  for (const each of command.commands) withUsageErrors(each);
  return command;
}
