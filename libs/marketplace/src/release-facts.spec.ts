import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUNDLE, releaseFacts } from './release-facts.js';

const ALL = ['terraform', 'rke', 'helm', 'nats-server'];
const SHA256 = 'a'.repeat(64);

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
  writeFileSync(join(directory, 'SHA256SUMS'), `${SHA256}  ${BUNDLE}\n`);
  writeFileSync(join(directory, 'key.pub'), '-----BEGIN PUBLIC KEY-----\nAB\nCD\n-----END PUBLIC KEY-----\n');
  return [directory, join(directory, 'key.pub')];
}

describe('releaseFacts', () => {
  it('are where it is, its digest and its key', () => {
    expect(releaseFacts('https://releases.example.com/1.2.0/', ...release(ALL))).toEqual({
      url: 'https://releases.example.com/1.2.0',
      sha256: SHA256,
      publicKey: 'ABCD',
    });
  });

  it.each(ALL)('refuse a bundle without %s, which the temporary machine has not', (lacking) => {
    const files = release(ALL.filter((name) => name !== lacking));
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow(`lacks ${lacking}: `);
  });

  it('refuse a bundle without any, or that nobody signed', () => {
    const files = release([]);
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow(`lacks ${ALL.join(', ')}: `);
    writeFileSync(join(directory, 'SHA256SUMS'), '');
    expect(() => releaseFacts('https://releases.example.com/1.2.0', ...files)).toThrow('does not name');
  });
});
