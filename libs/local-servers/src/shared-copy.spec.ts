import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresUser, type ServerUser } from './server-user.js';
import { sharedCopy } from './shared-copy.js';

const run = promisify(execFile);
const isRoot = userInfo().uid === 0;
const suite = isRoot ? describe : describe.skip;

let directory: string;
let native: string;
let user: ServerUser;
let umask: number;

suite(`sharedCopy${isRoot ? '' : ' (skipped: only root starts servers as another user)'}`, () => {
  beforeEach(async () => {
    user = await postgresUser();
    // As user data of a machine runs.
    umask = process.umask(0o077);
    directory = await mkdtemp(join(tmpdir(), 'crate-shared-'));
    await chmod(directory, 0o711);
    native = join(directory, 'package', 'native');
    await mkdir(join(native, 'bin'), { recursive: true });
    await writeFile(join(native, '..', 'package.json'), '{"version":"1.0.0"}');
    await writeFile(join(native, 'text'), 'read me');
    await writeFile(join(native, 'bin', 'server'), '#!/bin/sh\ncat "${0%/*}/../link"\n', { mode: 0o700 });
    await symlink('text', join(native, 'link'));
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(directory, { recursive: true });
  });

  it('is for the server user to run and read, though only its owner may what was unpacked', async () => {
    const copy = await sharedCopy(native, user, join(directory, 'shared'));
    expect(copy).toBe(join(directory, 'shared', 'postgresql-1.0.0'));
    expect((await run(join(copy, 'bin', 'server'), [], { ...user, cwd: '/' })).stdout).toBe('read me');
    // What it runs is not its own to change.
    expect((await stat(join(copy, 'bin', 'server'))).uid).toBe(0);
  });

  it('lies in a directory that somebody lets others only pass through', async () => {
    const shared = join(directory, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o711);
    await expect(sharedCopy(native, user, shared)).resolves.toContain(shared);
    expect((await stat(shared)).mode & 0o777).toBe(0o711);
  });

  it('is refused by name in a directory that somebody closed, and stays closed', async () => {
    const shared = join(directory, 'shared');
    await mkdir(shared, { mode: 0o700 });
    await expect(sharedCopy(native, user, shared)).rejects.toThrow(`may not enter ${shared}/postgresql-1.0.0: `);
    expect((await stat(shared)).mode & 0o777).toBe(0o700);
    await chmod(shared, 0o711);
    await expect(sharedCopy(native, user, shared)).resolves.toContain(shared);
  });
});
