import { createHash } from 'node:crypto';

/** Letters and digits that form no words; what Kubernetes uses for generated names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a template's content; equal content has equal names, whatever the order of keys. */
export function templateHash(template: unknown): string {
  const digest = createHash('sha256').update(stableJson(template)).digest();
  return encode(digest.subarray(0, 10));
}

/** The random end of a generated name. */
export function randomSuffix(): string {
  return encode(crypto.getRandomValues(new Uint8Array(5)));
}

function encode(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
