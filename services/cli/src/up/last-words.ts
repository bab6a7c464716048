import { open } from 'node:fs/promises';
import { readEnd } from './log-end.js';

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly error?: { readonly message?: string };
}

/** A log may be larger than memory; what is said last stands at its end. */
const READ_BYTES = 64 * 1024;

/** What a program wrote last into its log, in the words for a person: its last error, with what to do about it, or else its last line. */
export async function lastWords(logFile: string): Promise<string> {
  const text = await endOf(logFile);
  const error = text
    .split('\n')
    .map(parse)
    .findLast((line) => line?.level === 'error');
  return error?.error?.message ?? error?.msg ?? ownWords(text);
}

/** The first line of it may be cut off. Empty when the file is not there. */
async function endOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    return (await readEnd(file, READ_BYTES)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** This program ends with what was wrong in one line, and causes and remedies behind it; warnings, of Node as well, come before. Else the last line. */
export function ownWords(text: string): string {
  const lines = text.trim().split('\n');
  const first = lines.findLastIndex((line) => line.startsWith('crate: '));
  const said = first < 0 ? lines.slice(-1) : lines.slice(first);
  return said.join('\n').replace(/^crate: /, '');
}

function parse(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined; // Cut off in the middle.
  }
}
