import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TerraformRunner } from './index.js';

const CONFIGURATION = { terraform: { required_providers: { aws: { source: 'hashicorp/aws', version: '6.0.0' } } } };

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-plugin-cache-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** A runner whose Terraform takes its time and notes when it begins, with which cache, and when it ends. */
async function aRunner(): Promise<TerraformRunner> {
  const path = join(directory, 'terraform');
  const log = join(directory, 'log');
  const begin = `echo "begin $TF_PLUGIN_CACHE_DIR $TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE" >> ${log}`;
  await writeFile(path, `#!/bin/sh\n${begin}\nsleep 0.3\necho end >> ${log}\n`);
  await chmod(path, 0o755);
  return new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' });
}

describe('the cache of plugins', () => {
  it('is used also by a first init, and by one at a time, whichever runner it is of', async () => {
    const runners = [await aRunner(), await aRunner(), await aRunner()];
    await Promise.all(
      runners.map(async (runner, index) =>
        (await runner.open(`uid-${index}`)).prepare(CONFIGURATION, { env: {}, redact: [] }),
      ),
    );

    const lines = (await readFile(join(directory, 'log'), 'utf8')).trim().split('\n');
    const begin = `begin ${join(directory, 'plugin-cache')} 1`;
    expect(lines).toEqual([begin, 'end', begin, 'end', begin, 'end']);
  });
});
