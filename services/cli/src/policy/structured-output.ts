import { stringify } from 'yaml';
import { textOf, YAML_OPTIONS } from '../output/print.js';

export type OutputFormat = 'text' | 'json' | 'yaml';

/** Prints lines, or a value as data. */
export function print(format: OutputFormat, lines: readonly string[], value: unknown): void {
  process.stdout.write(format === 'text' ? textOf(lines) : dataText(format, value));
}

function dataText(format: Exclude<OutputFormat, 'text'>, value: unknown): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value, YAML_OPTIONS);
}
