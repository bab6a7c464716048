import { readFile } from 'node:fs/promises';

const PAGE = new URL('../../../docs/backup.md', import.meta.url);

/** What docs/backup.md says: a command or settings that only a test had would be no help to anybody. Throws where it does not. */
export async function stated(what: RegExp): Promise<string> {
  const [found] = what.exec(await readFile(PAGE, 'utf8')) ?? [];
  if (found === undefined) throw new Error(`docs/backup.md has no ${what}`);
  return found;
}
