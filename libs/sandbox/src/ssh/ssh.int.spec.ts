import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parsePrivateKey } from './private-key.js';
import { isKeyProven, proveKey } from './proof.js';
import { authorizedKeyOf, isSameAuthorizedKey } from './public-key.js';

const directory = mkdtempSync(join(tmpdir(), 'ssh-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));

const rows = [
  { name: 'ed25519', options: ['-t', 'ed25519'] },
  { name: 'rsa', options: ['-t', 'rsa', '-b', '2048'] },
  { name: 'rsa-pem', options: ['-t', 'rsa', '-b', '2048', '-m', 'PEM'] },
  { name: 'rsa-pkcs8', options: ['-t', 'rsa', '-b', '2048', '-m', 'PKCS8'] },
  { name: 'ecdsa-256', options: ['-t', 'ecdsa', '-b', '256'] },
  { name: 'ecdsa-521', options: ['-t', 'ecdsa', '-b', '521'] },
];

describe('keys made by ssh-keygen', () => {
  it.each(rows)('$name: public half and proof agree with the key file', ({ name, options }) => {
    const file = keyFile(name, options);
    const line = readFileSync(`${file}.pub`, 'utf8');
    const key = parsePrivateKey(readFileSync(file, 'utf8'));

    expect(isSameAuthorizedKey(authorizedKeyOf(key), line)).toBe(true);
    expect(isKeyProven(line, 'challenge', proveKey(key, 'challenge'))).toBe(true);
    expect(isKeyProven(line, 'other challenge', proveKey(key, 'challenge'))).toBe(false);
  });

  it('does not take the proof of one key for another', () => {
    const [mine, other] = [keyFile('mine', ['-t', 'ed25519']), keyFile('other', ['-t', 'ed25519'])];
    const proof = proveKey(parsePrivateKey(readFileSync(mine, 'utf8')), 'challenge');

    expect(isKeyProven(readFileSync(`${other}.pub`, 'utf8'), 'challenge', proof)).toBe(false);
  });

  it('refuses an encrypted key without quoting it', () => {
    const file = keyFile('secret', ['-t', 'ed25519'], 'passphrase');

    expect(() => parsePrivateKey(readFileSync(file, 'utf8'))).toThrow('ssh: this private key is passphrase protected');
  });
});

function keyFile(name: string, options: readonly string[], passphrase = ''): string {
  const file = join(directory, name);
  execFileSync('ssh-keygen', ['-q', '-N', passphrase, '-C', 'a comment', '-f', file, ...options]);
  return file;
}
