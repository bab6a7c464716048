import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseState } from './state-file.js';
import { aState } from './testing/a-state.js';
import { outgoingVariables, TerraformRunner, type TerraformWorkspace } from './index.js';

const quiet = { env: {}, redact: [] };
const requiring = (version: string): unknown => ({
  terraform: { required_providers: { aws: { source: 'hashicorp/aws', version } } },
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-workspace-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** A workspace whose Terraform locks the provider's version when it installs it, and refuses another one than is locked. */
async function aLockingWorkspace(): Promise<TerraformWorkspace> {
  const path = join(directory, 'terraform');
  const script = [
    `wanted=$(grep '"version"' main.tf.json)`,
    'if [ -f .terraform.lock.hcl ] && [ "$(cat .terraform.lock.hcl)" != "$wanted" ]; then',
    '  echo "Error: Failed to query available provider packages"; exit 1',
    'fi',
    '[ "$FAILS" = yes ] && exit 1',
    'mkdir -p .terraform; echo "$wanted" > .terraform.lock.hcl',
  ];
  await writeFile(path, `#!/bin/sh\n${script.join('\n')}\n`);
  await chmod(path, 0o755);
  return new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' }).open('uid-1');
}

describe('an apply', () => {
  it.each([
    {
      name: 'several resources at a time',
      options: {},
      want: 'apply -json -input=false -no-color -backup=- plan.tfplan',
    },
    {
      name: 'one after the other when it is asked to',
      options: { oneAtATime: true },
      want: 'apply -json -input=false -no-color -backup=- -parallelism=1 plan.tfplan',
    },
  ])('changes $name', async ({ options, want }) => {
    const path = join(directory, 'terraform');
    await writeFile(path, `#!/bin/sh\necho "$@" >> ${join(directory, 'calls')}\n`);
    await chmod(path, 0o755);
    const runner = new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' });
    const workspace = await runner.open('uid-1');
    await workspace.recover(undefined);

    await workspace.apply({ ...quiet, ...options, storeState: () => Promise.resolve() });
    expect(await readFile(join(directory, 'calls'), 'utf8')).toBe(`${want}\n`);
  });

  it('gets out by the proxy and the authorities of whoever runs it, and knows nothing else of them', async () => {
    const path = join(directory, 'terraform');
    await writeFile(path, `#!/bin/sh\nenv >> ${join(directory, 'environment')}\n`);
    await chmod(path, 0o755);
    const env = outgoingVariables({
      HTTPS_PROXY: 'http://proxy:3128',
      no_proxy: '.example.com',
      NO_PROXY: '',
      SSL_CERT_FILE: '/etc/ca.crt',
      AWS_PROFILE: 'of-the-machine',
    });
    const binary = { path, version: '1.9.0' };
    const workspace = await new TerraformRunner({ binary, directory, path: '/usr/bin:/bin', env }).open('uid-1');
    await workspace.recover(undefined);

    await workspace.apply({ ...quiet, storeState: () => Promise.resolve() });
    const lines = (await readFile(join(directory, 'environment'), 'utf8')).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['HTTPS_PROXY=http://proxy:3128', 'no_proxy=.example.com', 'SSL_CERT_FILE=/etc/ca.crt']),
    );
    expect(lines.filter((line) => /^(NO_PROXY|AWS_PROFILE)=/.test(line))).toEqual([]);
  });

  it('that failed says so, and its state is stored, also when what else it left cannot be cleared up', async () => {
    const path = join(directory, 'terraform');
    const left = [`cp ${join(directory, 'state')} terraform.tfstate`, 'mkdir errored.tfstate'];
    await writeFile(join(directory, 'state'), aState({ serial: 7 }));
    await writeFile(path, `#!/bin/sh\n${left.join('\n')}\nexit 1\n`);
    await chmod(path, 0o755);
    const runner = new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' });
    const workspace = await runner.open('uid-1');
    await workspace.recover(undefined);

    let stored: Uint8Array | undefined;
    const storeState = (bytes: Uint8Array): Promise<void> => Promise.resolve(void (stored = bytes));
    const log: string[] = [];
    const applied = workspace.apply({ ...quiet, storeState, onLog: (line) => void log.push(line) });
    await expect(applied).rejects.toMatchObject({ name: 'TerraformError' });
    expect(parseState(stored)?.serial).toBe(7);
    expect(log.at(-1)).toMatch(/^=== taking up what Terraform left beside its state failed: .*errored\.tfstate/);
  });
});

describe('preparation', () => {
  it('installs another version of a provider than was locked before', async () => {
    const workspace = await aLockingWorkspace();
    await workspace.prepare(requiring('6.0.0'), quiet);

    expect(await workspace.prepare(requiring('6.1.0'), quiet)).toEqual({ initialised: true });
  });

  it('is done anew after one that failed, also for what was installed before', async () => {
    const workspace = await aLockingWorkspace();
    await workspace.prepare(requiring('6.0.0'), quiet);
    await expect(workspace.prepare(requiring('6.1.0'), { ...quiet, env: { FAILS: 'yes' } })).rejects.toThrow();

    expect(await workspace.prepare(requiring('6.0.0'), quiet)).toEqual({ initialised: true });
  });
});
