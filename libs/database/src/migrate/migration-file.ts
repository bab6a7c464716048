import { invariant } from '@crate/errors';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One committed migration: `<directory>/<name>/migration.sql`. */
export interface MigrationFile {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as Prisma computes it. */
  readonly checksum: string;
}

/** All migrations of the directories: directories in the order given, names in order inside each. */
export async function readMigrations(directories: readonly string[]): Promise<readonly MigrationFile[]> {
  const lists = await Promise.all(directories.map(readDirectory));
  const files = lists.flat();
  const names = files.map((file) => file.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invariant(`Two migrations are named ${twice}`);
  return files;
}

async function readDirectory(directory: string): Promise<readonly MigrationFile[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  // Files beside the folders, such as Prisma's migration_lock.toml, are no migrations.
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(directory, name)));
}

async function readMigration(directory: string, name: string): Promise<MigrationFile> {
  const content = await readFile(join(directory, name, 'migration.sql'));
  return { name, sql: content.toString('utf8'), checksum: createHash('sha256').update(content).digest('hex') };
}
