import { createInterface } from 'node:readline/promises';
import { badRequest, PlatformError } from '@crate/errors';

/** Asks on the terminal. Throws BadRequest where there is none, and Conflict when the answer is no. */
export async function askToGoOn(
  question: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw badRequest(`${question} There is nobody to ask: say --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new PlatformError('Conflict', 'Nothing is changed');
  } finally {
    terminal.close();
  }
}
