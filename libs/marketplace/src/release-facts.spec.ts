import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUNDLE, releaseFacts } from './release-facts.js';

const ALL = ['terraform', 'rke', 'helm', 'nats-server'];
const SHA256 = 'a'.repeat(64);
const MAIN = join(import.meta.dirname, '../dist/main.js');
const keysOf = () => {
  const encoding = { type: 'spki', format: 'pem' } as const;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, pem: publicKey.export(encoding) as string };
};
const KEYS = keysOf();

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'crate-release-facts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A release whose bundle has these programs. */
function release(programs: readonly string[]): readonly [string, string] {
  const tree = join(directory, 'tree');
  mkdirSync(join(tree, 'programs'), { recursive: true });
  for (const name of programs) writeFileSync(join(tree, 'programs', name), '');
  execFileSync('tar', ['-czf', join(directory, BUNDLE), '-C', tree, '.']);
  signSums(`${SHA256}  ${BUNDLE}\n`);
  writeFileSync(join(directory, 'key.pub'), KEYS.pem);
  return [directory, join(directory, 'key.pub')];
}

function signSums(text: string): void {
  writeFileSync(join(directory, 'SHA256SUMS'), text);
  const signature = sign('sha256', Buffer.from(text), KEYS.privateKey).toString('base64');
  writeFileSync(join(directory, 'SHA256SUMS.sig'), `${signature}\n`);
}

describe('releaseFacts', () => {
  it('are where it is, its digest and its key', () => {
    expect(releaseFacts('https://releases.example.com/1.2.0/', ...release(ALL))).toEqual({
      url: 'https://releases.example.com/1.2.0',
      sha256: SHA256,
      publicKey: KEYS.pem.split('\n').slice(1, -2).join(''),
    });
  });

  it.each(['http://releases.example.com/1.2.0', 'https://releases.example.com', "https://releases.example.com/1'2"])(
    'refuse the folder %s, which the template would not take',
    (url) => {
      expect(() => releaseFacts(url, ...release(ALL))).toThrow(`${url} is no folder of a release`);
    },
  );

  it.each(ALL)('refuse a bundle without %s, which the temporary machine has not', (lacking) => {
    const files = release(ALL.filter((name) => name !== lacking));
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow(`lacks ${lacking}: `);
  });

  it('refuse a bundle without any, or that no digest is of', () => {
    const files = release([]);
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow(`lacks ${ALL.join(', ')}: `);
    signSums('');
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow('does not name');
  });

  it.each([
    { what: 'of another release', key: keysOf().pem },
    { what: 'that openssl verifies no digest by', key: ed25519() },
    { what: 'that is none', key: 'key' },
  ])('refuse a key $what', ({ key }) => {
    const [folder, file] = release(ALL);
    writeFileSync(file, key);
    expect(() => releaseFacts('https://releases.example.com/1.2.0', folder, file)).toThrow(
      `SHA256SUMS.sig is not of ${file}`,
    );
  });
});

function ed25519(): string {
  return generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;
}

describe('the command', () => {
  const run = (...args: readonly string[]): string => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--out', join(directory, 'written')], {
      encoding: 'utf8',
    });
    return `${status} ${stderr}`;
  };

  it('refuses a part of what says a release, without which the template is of none', () => {
    const [folder, key] = release(ALL);
    const url = 'https://releases.example.com/1.2.0';
    expect(run('--url', url, '--release', folder)).toBe('1 --public-key is missing beside --url, --release\n');
    expect(run('--public-key', key)).toBe('1 --url, --release is missing beside --public-key\n');
    expect(existsSync(join(directory, 'written'))).toBe(false);
    expect(run('--url', url, '--release', folder, '--public-key', key)).toBe('0 ');
    expect(readFileSync(join(directory, 'written'), 'utf8')).toContain(url);
  });
});
