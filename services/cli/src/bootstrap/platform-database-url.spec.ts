import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDataDir } from '../testing/temporary-data-dir.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { renewDatabaseUrl } from './platform-database-url.js';

const KEPT = 'postgresql://crate:old@db.example.com/crate?sslmode=verify-full';
const RENEWED = 'postgresql://crate:new@db.example.com:5432/crate?sslmode=verify-full';
const ANOTHER = 'postgresql://crate:new@db.example.com/another';

let dir: BootstrapDir;
let file: string;
beforeEach(async () => {
  dir = new BootstrapDir((await temporaryDataDir()).root);
  file = join(dir.root, 'db.url');
  await writeFile(dir.databaseUrl(), KEPT);
});
afterEach(async () => rm(dir.root, { recursive: true }));

async function renewed(content: string | undefined, isNamed: boolean): Promise<string> {
  if (content !== undefined) await writeFile(file, content);
  await renewDatabaseUrl(dir, file, isNamed);
  return readFile(dir.databaseUrl(), 'utf8');
}

describe('renewDatabaseUrl', () => {
  it.each([true, false])('takes over another password of the same database (named for that: %s)', async (isNamed) => {
    expect(await renewed(`${RENEWED}\n`, isNamed)).toBe(RENEWED);
  });

  it('keeps what it has where the file of the bootstrap is gone, or is of another platform by now', async () => {
    expect(await renewed(undefined, false)).toBe(KEPT);
    expect(await renewed('', false)).toBe(KEPT);
    expect(await renewed(ANOTHER, false)).toBe(KEPT);
  });

  it('refuses a file that is named for it, and is not there or of another database', async () => {
    await expect(renewed(undefined, true)).rejects.toMatchObject({ code: 'BadRequest' });
    await expect(renewed(ANOTHER, true)).rejects.toMatchObject({
      details: { reason: 'RequestChanged' },
      message: expect.not.stringMatching(/new|old/),
    });
    expect(await readFile(dir.databaseUrl(), 'utf8')).toBe(KEPT);
  });

  it('takes nothing over that the bootstrap has not looked at yet', async () => {
    await rm(dir.databaseUrl());
    await writeFile(file, RENEWED);
    await renewDatabaseUrl(dir, file, false);
    await expect(readFile(dir.databaseUrl())).rejects.toThrow('ENOENT');
  });
});
