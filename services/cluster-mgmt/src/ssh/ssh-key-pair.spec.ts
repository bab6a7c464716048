import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { findExecutable } from '@crate/process';
import { newSshKeyPair, publicKeyOf } from './ssh-key-pair.js';

const run = promisify(execFile);
const sshKeygen = await findExecutable('ssh-keygen', process.env['PATH'] ?? '');

describe('newSshKeyPair', () => {
  const pair = newSshKeyPair('crate-demo');

  it('makes one line for authorized_keys, with the comment at its end', () => {
    expect(pair.publicKey).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5[A-Za-z0-9+/=]{48} crate-demo$/);
  });

  it('makes another key every time', () => {
    expect(newSshKeyPair('crate-demo').publicKey).not.toBe(pair.publicKey);
  });

  it('can tell the public half from the private one', () => {
    expect(publicKeyOf(pair.privateKey, 'crate-demo')).toBe(pair.publicKey);
  });

  (sshKeygen ? it : it.skip)('is read by OpenSSH itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ssh-key-'));
    try {
      // Different comments make different amounts of padding.
      for (const comment of ['a', 'ab', 'crate-demo', 'a-rather-long-name-of-a-cluster']) {
        const made = newSshKeyPair(comment);
        await writeFile(join(folder, comment), made.privateKey, { mode: 0o600 });
        const { stdout } = await run(sshKeygen ?? '', ['-y', '-f', join(folder, comment)]);
        expect(stdout.trim()).toBe(made.publicKey);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
