import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnCluster } from './own-cluster.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-own-cluster-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

describe('OwnCluster', () => {
  it('goes on with one connection until the token is another', async () => {
    await writeFile(join(directory, 'ca.crt'), 'an authority');
    await writeFile(join(directory, 'token'), 'first\n');
    const own = new OwnCluster({ host: 'fd00::1', port: 443, directory });
    const first = await own.current();
    expect(await own.current()).toBe(first);
    await writeFile(join(directory, 'token'), 'second\n');
    expect(await own.current()).not.toBe(first);
  });

  it('says so where there is no token', async () => {
    const own = new OwnCluster({ host: '10.43.0.1', port: 443, directory });
    await expect(own.current()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(directory),
    });
  });
});
