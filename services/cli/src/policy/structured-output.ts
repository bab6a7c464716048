import { Option } from 'commander';
import { stringify } from 'yaml';

export type OutputFormat = 'text' | 'json' | 'yaml';

/** `-o`: text for people, or the same as data. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it').choices(['text', 'json', 'yaml']).default('text');
}

/** Prints lines, or a value as data. */
export function print(format: OutputFormat, lines: readonly string[], value: unknown): void {
  process.stdout.write(format === 'text' ? lines.map((line) => `${line}\n`).join('') : dataText(format, value));
}

function dataText(format: Exclude<OutputFormat, 'text'>, value: unknown): string {
  return format === 'json'
    ? `${JSON.stringify(value, undefined, 2)}\n`
    : stringify(value, { aliasDuplicateObjects: false });
}
