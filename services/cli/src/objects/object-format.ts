import { InvalidArgumentError } from 'commander';
import { JsonTemplate } from './json-template.js';

/** How objects are printed. */
export type ObjectFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name' | JsonTemplate;

const PLAIN = ['table', 'wide', 'json', 'yaml', 'name'] as const;

/** The value of `-o`. Throws InvalidArgumentError. */
export function parseObjectFormat(text: string): ObjectFormat {
  const path = /^jsonpath=(.*)$/s.exec(text)?.[1];
  if (path !== undefined) return JsonTemplate.parse(path);
  const found = PLAIN.find((format) => format === text);
  if (!found) throw new InvalidArgumentError(`Allowed choices are ${PLAIN.join(', ')}, jsonpath=….`);
  return found;
}
