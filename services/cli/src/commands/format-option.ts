import { Option } from 'commander';

/** `-o`: for people, or the same as data. */
export function formatOption(plain: 'table' | 'text'): Option {
  return new Option('-o, --output <format>', 'how to print it').choices([plain, 'json', 'yaml']).default(plain);
}
