import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The commit of the code that runs, with `+` when it was changed since; `unknown` outside of a checkout. */
export async function commitOfThis(): Promise<string> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd: HERE })).stdout.trim();
  try {
    const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== '';
    return `${await git('rev-parse', '--short', 'HEAD')}${isChanged ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}
