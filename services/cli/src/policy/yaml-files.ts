import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { badRequest } from '@crate/errors';
import { whyUnreadable } from '../output/file-failure.js';
import { parseAllDocuments } from 'yaml';

/** Stands for the standard input where a file is named. */
export const STANDARD_INPUT = '-';

/** A file of YAML documents, which JSON is too. */
export interface YamlFile {
  readonly path: string;
  readonly text: string;
  /** Empty documents are left out. */
  readonly documents: readonly unknown[];
}

/** YAML files of a directory and those below it, sorted; a file stands for itself. Throws BadRequest for what is not there. */
export async function yamlFilesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw badRequest(`Cannot read ${path}: ${whyUnreadable(cause)}`);
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const below = entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .map(async (entry) => {
      if (entry.isDirectory()) return yamlFilesIn(join(path, entry.name));
      return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [join(path, entry.name)] : [];
    });
  return (await Promise.all(below)).flat().sort();
}

/** Throws BadRequest with line and column for what is no YAML. */
export async function readYamlFile(path: string): Promise<YamlFile> {
  const content = await contentOf(path);
  const parsed = parseAllDocuments(content);
  const mistake = parsed.flatMap(({ errors }) => errors)[0];
  if (mistake) throw badRequest(`${path} is no YAML: ${mistake.message}`);
  const documents = parsed.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  return {
    path,
    text: content,
    documents: documents.filter((document) => document !== null && document !== undefined),
  };
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
