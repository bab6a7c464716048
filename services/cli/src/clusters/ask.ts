import { badRequest, PlatformError } from '@crate/errors';
import { answerTo } from '../output/question.js';
import { visible } from '../output/visible.js';

/** Asks on the terminal. Throws BadRequest where there is none, and Conflict when the answer is no, and Interrupted at Ctrl-C. */
export async function askToGoOn(
  question: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw badRequest(`${question} There is nobody to ask: say --yes`);
  const answer = await answerTo(`${visible(question)} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new PlatformError('Conflict', 'Nothing is changed');
}
