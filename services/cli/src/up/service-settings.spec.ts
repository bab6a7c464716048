import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readServiceSettings } from './service-settings.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-settings-'));
});
afterAll(async () => rm(directory, { recursive: true, force: true }));

it('reads one variable a line, and leaves comments out', async () => {
  const file = join(directory, 'further.env');
  await writeFile(file, '# shorter than usual\nCRATE_RECONCILE_LEASE_MS=5000\nCRATE_LOG_LEVEL=debug\n');
  expect(await readServiceSettings(file)).toEqual({ CRATE_RECONCILE_LEASE_MS: '5000', CRATE_LOG_LEVEL: 'debug' });
});

it('says which file is missing', async () => {
  await expect(readServiceSettings(join(directory, 'none.env'))).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining('none.env'),
  });
});
