import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findTerraform } from './terraform-binary.js';

const PATH = '/usr/bin:/bin';

let directory: string;
let command: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-terraform-binary-'));
  command = join(directory, 'terraform');
});
afterEach(async () => rm(directory, { recursive: true }));

async function given(script: string): Promise<void> {
  await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
}

describe('the program of Terraform', () => {
  it('is told with its version', async () => {
    await given(`echo '{"terraform_version":"1.15.0"}'`);
    expect(await findTerraform({ command, path: PATH })).toEqual({ path: command, version: '1.15.0' });
  });

  it.each([
    {
      name: 'cannot run',
      script: `echo 'exec format error' >&2; exit 126`,
      want: 'ended with 126, and said: exec format error',
    },
    { name: 'is killed', script: 'kill -KILL $$', want: 'ended by SIGKILL, and said: nothing on stderr' },
    { name: 'is another program', script: 'echo welcome', want: 'ended with 0, and said: nothing on stderr' },
  ])('is refused with its own words where it $name', async ({ script, want }) => {
    await given(script);
    await expect(findTerraform({ command, path: PATH })).rejects.toMatchObject({
      code: 'Unavailable',
      message: `${command} does not tell its version: it ${want}`,
    });
  });

  it('is named where there is none', async () => {
    await expect(findTerraform({ command, path: PATH })).rejects.toThrow(
      `There is no program ${command} that can be run`,
    );
    await expect(findTerraform({ path: directory })).rejects.toThrow(
      'Neither of these programs was found: terraform, tofu',
    );
  });
});
