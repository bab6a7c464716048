import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDatabaseUrl } from './database-url.js';

let directory: string;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'crate-database-url-'))));
afterAll(async () => rm(directory, { recursive: true }));

async function fileWith(text: string): Promise<string> {
  const file = join(directory, 'url');
  await writeFile(file, text);
  return file;
}

describe('readDatabaseUrl', () => {
  it.each(['postgres://crate:secret@db.example:5432/crate', 'postgresql://crate@127.0.0.1/postgres'])(
    'takes %s, and no end of a line',
    async (url) => expect(await readDatabaseUrl(await fileWith(`${url}\n`))).toBe(url),
  );

  it.each(['', 'db.example:5432', 'mysql://crate@db.example/crate'])(
    'refuses "%s" and repeats no secret',
    async (text) => {
      await expect(readDatabaseUrl(await fileWith(text))).rejects.toMatchObject({
        code: 'BadRequest',
        message: `--database-url-file: ${join(directory, 'url')} has no URL such as postgresql://user:password@host:5432/database`,
      });
    },
  );

  it('says which file is not there', async () => {
    const missing = readDatabaseUrl(join(directory, 'missing'));
    const message = `Cannot read ${join(directory, 'missing')}: there is no such file or folder`;
    await expect(missing).rejects.toMatchObject({ code: 'BadRequest', message });
  });
});
