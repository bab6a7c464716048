import { Option } from 'commander';

/** `-o`: for people, or the same as data. */
export function formatOption(plain: 'table' | 'text', description = 'how to print it'): Option {
  return new Option('-o, --output <format>', description).choices([plain, 'json', 'yaml']).default(plain);
}
