import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TerraformBinary } from './terraform-binary.js';
import { TerraformRunner } from './terraform-runner.js';

const DAY_MS = 24 * 60 * 60_000;

describe('workspaces that were left', () => {
  let directory: string;
  const workspaces = (): string => join(directory, 'workspaces');
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-runner-'));
    const old = new Date(Date.now() - 2 * DAY_MS);
    for (const name of ['gone', 'kept', '100%25', '100%']) {
      await mkdir(join(workspaces(), name), { recursive: true });
      await utimes(join(workspaces(), name), old, old);
    }
    await mkdir(join(workspaces(), 'new'));
  });
  afterEach(async () => rm(directory, { recursive: true }));

  it('go, but for those that are known or new, and folders that are none', async () => {
    const asked: string[] = [];
    const runner = new TerraformRunner({ binary: {} as TerraformBinary, directory, path: '' });
    await runner.clearWorkspaces(DAY_MS, (key) => (asked.push(key), key === 'kept'));
    expect(asked.sort()).toEqual(['100%', 'gone', 'kept']);
    expect((await readdir(workspaces())).sort()).toEqual(['100%', 'kept', 'new']);
  });
});
