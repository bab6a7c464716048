import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { TerraformWorkspace } from '@crate/terraform';
import { chmod, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terraformRunnerOf } from './terraform-runner-of.js';

const SOURCES = join(import.meta.dirname, '..');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-runner-'));
});
afterEach(async () => rm(directory, { recursive: true }));

async function environmentIn(workspace: TerraformWorkspace): Promise<readonly string[]> {
  await workspace.recover(undefined);
  await workspace.apply({ env: {}, redact: [], storeState: () => Promise.resolve() });
  return (await readFile(join(directory, 'environment'), 'utf8')).split('\n');
}

it.each(['open', 'openScratch'] as const)('lets Terraform out by the proxy of the service: %s', async (open) => {
  const path = join(directory, 'terraform');
  await writeFile(path, `#!/bin/sh\nenv > ${join(directory, 'environment')}\n`);
  await chmod(path, 0o755);
  const config = { workspacesDir: directory, path: '/usr/bin:/bin', terraform: { graceMs: 1000 } };
  const parts = { binary: { path, version: '1.9.0' } };
  const runner = terraformRunnerOf(config, parts, { HTTPS_PROXY: 'http://proxy:3128', AWS_PROFILE: 'of-the-machine' });

  const lines = await environmentIn(await runner[open]('uid-1'));
  expect(lines).toContain('HTTPS_PROXY=http://proxy:3128');
  expect(lines).not.toContain('AWS_PROFILE=of-the-machine');
});

it('is how every runner of the service is made', async () => {
  const makers: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: SOURCES })) {
    if (file.endsWith('.spec.ts') || file.startsWith('testing/')) continue;
    if ((await readFile(join(SOURCES, file), 'utf8')).includes('new TerraformRunner(')) makers.push(file);
  }
  expect(makers).toEqual(['terraform-run/terraform-runner-of.ts']);
});
