import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataDir } from '../data-dir.js';
import { LocalComponents, type LocalComponentsOptions } from './local-components.js';

const FILES = ['policy-mgmt.found.json', 'policy-mgmt.wanted.json'];

let dir: DataDir;
beforeEach(async () => {
  dir = new DataDir(await mkdtemp(join(tmpdir(), 'crate-local-components-')));
  await dir.prepare();
  await open();
  for (const file of FILES) await writeFile(join(dir.components(), file), '{"version":"0.0.1"}');
});
afterEach(async () => rm(dir.root, { recursive: true, force: true }));

/** As `crate up` does it, before any process runs. */
async function open(): Promise<void> {
  const options: Partial<LocalComponentsOptions> = { dir, services: ['policy-mgmt'], replicas: 1 };
  await LocalComponents.open(options as LocalComponentsOptions);
}

describe('LocalComponents', () => {
  it('goes on with what the same release was asked for', async () => {
    await open();
    expect(await readdir(dir.components())).toEqual([...FILES, 'release']);
  });

  it('forgets what another release was asked for, and what it found', async () => {
    await writeFile(join(dir.components(), 'release'), '0.0.1');
    await open();
    expect(await readdir(dir.components())).toEqual(['release']);
  });
});
