import { randomInt } from 'node:crypto';
import type { ObjectMeta } from '@crate/api';

/** No vowels, so that no words arise; no characters that look alike. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_LENGTH = 63 - SUFFIX_LENGTH;

/** The stated name, or one made from `generateName`; empty when neither is stated. */
export function nameFor({ name, generateName }: Partial<ObjectMeta>): string {
  if (name || !generateName) return name ?? '';
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${generateName.slice(0, MAX_BASE_LENGTH)}${suffix}`;
}
