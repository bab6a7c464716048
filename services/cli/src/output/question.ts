import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Interrupted } from '../interruption.js';

/** Where a person is asked: the terminal, unless a test stands in for it. */
export interface Asking {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly terminal?: boolean;
}

const TERMINAL: Asking = { input: process.stdin, output: process.stderr };

/** What a person answers; nothing where the input ends. Throws Interrupted at Ctrl-C and Ctrl-D. */
export async function answerTo(question: string, asking: Asking = TERMINAL): Promise<string> {
  const terminal = createInterface(asking);
  const ended = once(terminal, 'close').then(() => '');
  try {
    return await Promise.race([terminal.question(question), ended]);
  } catch (error) {
    throw new Interrupted('Nothing is changed', { cause: error });
  } finally {
    terminal.close();
  }
}
