import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library */
export function addRegex(environment: Environment): void {
  environment
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      return regex(pattern).exec(text)?.[0] ?? '';
    })
    .registerFunction('string.findAll(string): list<string>', findAll)
    .registerFunction('string.findAll(string, int): list<string>', findAll);
}

/** What the library lacks of them. Source: https://github.com/google/cel-go/blob/master/ext/README.md#strings */
export function addStrings(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', charAt)
    .registerFunction('string.replace(string, string): string', replace)
    .registerFunction('string.replace(string, string, int): string', replace)
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''));
}

/** None when the limit is 0, all when it is negative. */
function findAll(text: string, pattern: string, limit = -1n): readonly string[] {
  const found = [...text.matchAll(regex(pattern, 'g'))].map(([match]) => match);
  return limit < 0n ? found : found.slice(0, Number(limit));
}

function regex(pattern: string, flags = ''): RegExp {
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    throw badRequest(`${JSON.stringify(pattern)} is no regular expression`);
  }
}

/** The empty string just behind the end. */
function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) throw badRequest(`There is no character ${index}`);
  return characters[Number(index)] ?? '';
}

/** The first `limit` of them; all when it is negative. */
function replace(text: string, old: string, fresh: string, limit = -1n): string {
  if (limit < 0n) return text.replaceAll(old, () => fresh);
  let left = limit;
  return text.replaceAll(old, (found) => (left-- > 0n ? fresh : found));
}
