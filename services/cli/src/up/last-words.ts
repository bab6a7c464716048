import { findText } from './secret-file.js';

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly error?: { readonly message?: string };
}

/** What a program wrote last into its log, in the words for a person: its last error, with what to do about it, or else its last line. */
export async function lastWords(logFile: string): Promise<string> {
  const lines = ((await findText(logFile)) ?? '').trim().split('\n');
  const error = lines.map(parse).findLast((line) => line?.level === 'error');
  return error?.error?.message ?? error?.msg ?? ownWords(lines);
}

/** This program ends with what was wrong in its first line, and causes and remedies behind it. */
function ownWords(lines: readonly string[]): string {
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
