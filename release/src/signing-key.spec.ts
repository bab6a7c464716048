import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { signingKey } from './signing-key.js';

const place = mkdtempSync(join(tmpdir(), 'crate-signing-key-'));
const file = join(place, 'release.key');
afterAll(() => rmSync(place, { recursive: true }));

describe('a key to sign with', () => {
  it.each(['pkcs8', 'sec1'] as const)('is taken as %s', (type) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type, format: 'pem' }) as string;
    writeFileSync(file, pem);
    expect(signingKey(file)).toBe(pem);
  });

  it.each([
    { what: 'cosign generate-key-pair', label: 'ENCRYPTED SIGSTORE PRIVATE KEY' },
    { what: 'an older cosign', label: 'ENCRYPTED COSIGN PRIVATE KEY' },
    { what: 'openssl, under a passphrase', label: 'ENCRYPTED PRIVATE KEY' },
  ])('is refused by name when it is of $what', ({ label }) => {
    writeFileSync(file, `-----BEGIN ${label}-----\neyJrZGYi\n-----END ${label}-----\n`);
    expect(() => signingKey(file)).toThrow(`${file} is an ${label}: `);
  });
});
