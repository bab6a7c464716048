import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { DataDir } from './data-dir.js';

let dir: DataDir;
beforeEach(async () => {
  dir = await temporaryDataDir();
});
afterEach(async () => removeDataDir(dir));

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('DataDir', () => {
  it('is an absolute path, whatever was given', () => {
    expect(new DataDir('some/where').root).toBe(join(process.cwd(), 'some/where'));
  });

  it('keeps everything below itself', () => {
    const paths = [dir.runFile(), dir.settingsFile(), dir.adminKubeconfig(), dir.log('up'), dir.service('lifecycle')];
    for (const path of paths) expect(path.startsWith(`${dir.root}/`)).toBe(true);
  });

  it('lets nobody else look at certificates and kubeconfigs, but lets Postgres walk in', async () => {
    await chmod(dir.root, 0o700);
    await dir.prepare();
    await dir.prepare();

    expect(await modeOf(dir.root)).toBe('755');
    expect(await modeOf(dir.certificates())).toBe('700');
    expect(await modeOf(dir.kubeconfigs())).toBe('700');
    expect((await stat(dir.logs())).isDirectory()).toBe(true);
  });

  it('says why it cannot be made, and what helps', async () => {
    const file = join(dir.root, 'file');
    await writeFile(file, '');
    await expect(new DataDir(join(file, 'below')).prepare()).rejects.toMatchObject({
      code: 'BadRequest',
      message: `Cannot write ${file}/below: a part of the path is no folder`,
      details: { remedy: expect.stringContaining('--data-dir') },
    });
  });
});
