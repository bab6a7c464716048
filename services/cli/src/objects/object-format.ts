import { InvalidArgumentError } from 'commander';
import { JsonPath } from './json-path.js';

/** How objects are printed. */
export type ObjectFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name' | JsonPath;

const PLAIN = ['table', 'wide', 'json', 'yaml', 'name'] as const;

/** The value of `-o`. Throws InvalidArgumentError. */
export function parseObjectFormat(text: string): ObjectFormat {
  const path = /^jsonpath=(.*)$/s.exec(text)?.[1];
  if (path !== undefined) return JsonPath.parse(path);
  const found = PLAIN.find((format) => format === text);
  if (!found) throw new InvalidArgumentError(`Allowed choices are ${PLAIN.join(', ')}, jsonpath=….`);
  return found;
}
