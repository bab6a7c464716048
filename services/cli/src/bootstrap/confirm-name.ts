import { badRequest, conflict } from '@crate/errors';
import { answerTo } from '../output/question.js';

/** Has a person type what is about to go. Throws BadRequest where nobody can, and Conflict for anything else. */
export async function confirmName(name: string, given: string | undefined, withClusters: boolean): Promise<void> {
  const what = withClusters ? `the platform ${name} and all its clusters` : `the platform ${name}`;
  const typed = given ?? (await ask(`This takes away ${what}. Type its name to go on:`, name));
  if (typed.trim() !== name) throw conflict('Nothing is changed: that is not its name');
}

async function ask(question: string, name: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw badRequest(`${question} There is nobody to ask: say --confirm ${name}`);
  }
  return answerTo(`${question} `);
}
