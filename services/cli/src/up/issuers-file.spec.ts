import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findIssuersFile } from './issuers-file.js';

let directory: string;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'crate-issuers-'))));
afterAll(async () => rm(directory, { recursive: true, force: true }));

it('says where a file of YAML is', async () => {
  const file = join(directory, 'issuers.yaml');
  await writeFile(file, 'issuers: []\n');
  expect(await findIssuersFile(file)).toBe(file);
});

it('refuses a file that is not there, and one that is no YAML', async () => {
  const file = join(directory, 'broken.yaml');
  await writeFile(file, 'issuers: [\n');
  const message = expect.stringMatching(/^--issuers-file: .*broken\.yaml is no YAML: .*line 2/);
  await expect(findIssuersFile(file)).rejects.toMatchObject({ code: 'BadRequest', message });
  await expect(findIssuersFile(join(directory, 'none.yaml'))).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining('there is no such file'),
  });
});
