import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Versions } from './versions.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-versions-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

async function release(folder: string, version: string, services: readonly string[]): Promise<void> {
  const root = join(directory, folder);
  await mkdir(join(root, 'libs', 'service-host'), { recursive: true });
  await writeFile(join(root, 'libs', 'service-host', 'package.json'), JSON.stringify({ version }));
  for (const service of services) {
    await mkdir(join(root, 'services', service, 'dist'), { recursive: true });
    await writeFile(join(root, 'services', service, 'dist', 'main.js'), '');
  }
}

describe('Versions', () => {
  it('are this release, and those that lie there whole', async () => {
    await release('9.1.0', '9.1.0', ['policy-mgmt']);
    await release('9.2.0', '9.1.0', ['policy-mgmt']);
    await release('9.3.0', '9.3.0', ['lifecycle']);
    await mkdir(join(directory, '9.4.0'));
    const versions = await Versions.open(directory);
    expect(await versions.present('policy-mgmt')).toEqual([versions.own, '9.1.0']);
    expect(await versions.present('lifecycle')).toEqual([versions.own, '9.3.0']);
  });

  it('are this release alone where there is no directory', async () => {
    const versions = await Versions.open(join(directory, 'none'));
    expect(await versions.present('lifecycle')).toEqual([versions.own]);
  });

  it('have their programs in their own folders', async () => {
    const versions = await Versions.open(directory);
    expect(versions.entryOf('lifecycle', '9.1.0')).toBe(join(directory, '9.1.0/services/lifecycle/dist/main.js'));
    expect(versions.entryOf('lifecycle', versions.own)).toMatch(/services\/lifecycle\/dist\/main\.js$/);
    expect(versions.rootOf(versions.own)).not.toContain(directory);
  });
});
