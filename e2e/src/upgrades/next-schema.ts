import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** In every table of a release that `growTables` has been to, and of those of this checkout in none. */
export const NEXT_COLUMN = 'of_the_next_release';
const CREATED = /^CREATE TABLE "?(\w+)"?/gm;

/**
 * Gives the tables of a package what a release may give them: a column that the one before knows nothing of. One migration for each, as no
 * two tables are ever changed in one that waits for both.
 */
export async function growTables(workspace: string): Promise<void> {
  for await (const file of glob('{migrations,prisma/migrations}/*/migration.sql', { cwd: workspace })) {
    const directory = dirname(join(workspace, file));
    for (const [, table = ''] of (await readFile(join(workspace, file), 'utf8')).matchAll(CREATED))
      await grow(join(dirname(directory), `99991231_${table}`), table);
  }
}

async function grow(directory: string, table: string): Promise<void> {
  await mkdir(directory);
  const sql = `ALTER TABLE ${table} ADD COLUMN ${NEXT_COLUMN} text NOT NULL DEFAULT 'new';\n`;
  await writeFile(join(directory, 'migration.sql'), sql);
}
