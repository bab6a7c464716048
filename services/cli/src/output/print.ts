import { stringify } from 'yaml';
import { visible } from './visible.js';

/** How something is printed: for people, as one of these words says, or as data. */
export type OutputFormat = 'table' | 'text' | 'json' | 'yaml';

/** Prints a value as data, or the lines that people read, in which texts of others write nothing over the terminal. They come without colours. */
export function printAs(format: OutputFormat, value: unknown, lines: () => readonly string[]): void {
  const text = isData(format) ? dataText(format, value) : textOf(lines());
  process.stdout.write(text);
}

/** Says a line to people, as `printAs` does: beside data, which is alone where programs read it. */
export function say(format: OutputFormat, line: string): void {
  if (isData(format)) console.error(visible(line));
  else console.log(visible(line));
}

/** Whether it is for programs. */
export function isData(format: OutputFormat): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}

/** Lines for people. */
export function textOf(lines: readonly string[]): string {
  return visible(lines.map((line) => `${line.replace(/\n$/, '')}\n`).join(''));
}

/** kubectl, Helm and most others read YAML 1.1, where a bare yes, off or n is no text. */
export const YAML_OPTIONS = { aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const;

/** A value as data for programs, or for people who want to see all of it. */
export function dataText(format: 'json' | 'yaml', value: unknown): string {
  return format === 'json'
    ? `${JSON.stringify(value, undefined, 2)}\n`
    : stringify(value, { ...YAML_OPTIONS, lineWidth: 0 });
}
