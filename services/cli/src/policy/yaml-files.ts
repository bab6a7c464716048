import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { badRequest } from '@crate/errors';
import { whyUnreadable } from '../output/file-failure.js';
import { yamlValues } from '../output/yaml-values.js';

/** Stands for the standard input where a file is named. */
export const STANDARD_INPUT = '-';

/** A file of YAML documents, which JSON is too. */
export interface YamlFile {
  readonly path: string;
  readonly text: string;
  /** Empty documents are left out. */
  readonly documents: readonly unknown[];
}

const YAML = /\.ya?ml$/;
/** What kubectl takes of a folder. */
export const MANIFEST = /\.(ya?ml|json)$/;

/**
 * Files of a directory and those below it whose names end so, sorted; a file stands for itself, and a link for its file. Throws
 * BadRequest for what is not there.
 */
export async function yamlFilesIn(path: string, ending = YAML): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw badRequest(`Cannot read ${path}: ${whyUnreadable(cause)}`);
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const below = entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .map(async (entry) => {
      const at = join(path, entry.name);
      if (entry.isDirectory()) return yamlFilesIn(at, ending);
      return ending.test(entry.name) && (await isFile(entry, at)) ? [at] : [];
    });
  return (await Promise.all(below)).flat().sort();
}

/** True also for a link that leads nowhere: whoever reads it says so. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  );
}

/** Throws BadRequest with line and column for what is no YAML. */
export async function readYamlFile(path: string): Promise<YamlFile> {
  const content = await contentOf(path);
  const documents = yamlValues(content, path).filter((document) => document !== null && document !== undefined);
  return { path, text: content, documents };
}

async function contentOf(path: string): Promise<string> {
  if (path === STANDARD_INPUT) return text(process.stdin);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw badRequest(`Cannot read ${path}: ${whyUnreadable(cause)}`);
  });
}

/** A mapping; undefined for anything else. */
export function mappingOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
