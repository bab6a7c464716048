import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TerraformRunner, type TerraformRunOptions, type TerraformWorkspace } from './index.js';

const ADDRESS = 'terraform_data.a';
const quiet: TerraformRunOptions = { env: {}, redact: [] };
const HELD = {
  version: 4,
  serial: 7,
  lineage: 'l',
  outputs: {},
  resources: [{ mode: 'managed', type: 'terraform_data', name: 'a', instances: [{ attributes: { id: 'held' } }] }],
};

let directory: string;
let workspace: TerraformWorkspace;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-import-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** A workspace whose Terraform notes what it is asked, and fails imports with the text. */
async function failing(text: string | undefined): Promise<void> {
  const path = join(directory, 'terraform');
  const failure = text === undefined ? '' : `[ "$1" = import ] && { echo "Error: ${text}" >&2; exit 1; }`;
  await writeFile(path, `#!/bin/sh\necho "$@" >> ${join(directory, 'calls')}\n${failure}\nexit 0\n`);
  await chmod(path, 0o755);
  const runner = new TerraformRunner({ binary: { path, version: '1.9.0' }, directory, path: '/usr/bin:/bin' });
  workspace = await runner.open('uid-1');
}

const calls = async (): Promise<string[]> =>
  (await readFile(join(directory, 'calls'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
const hold = (): Promise<unknown> => workspace.recover(Buffer.from(JSON.stringify(HELD)));

describe('an object that is to be imported', () => {
  it('is not there when the provider says so', async () => {
    await failing('Cannot import non-existent remote object');
    await workspace.recover(undefined);

    expect(await workspace.importObject(ADDRESS, 'lost', quiet)).toBe(false);
  });

  it.each([
    { text: 'reading VPC: request send failed, Post: EOF', reason: 'ProviderUnavailable' },
    { text: 'Something that nobody has seen before', reason: 'TerraformFailed' },
  ])('may be there when the provider cannot be asked: $text', async ({ text, reason }) => {
    await failing(text);
    await workspace.recover(undefined);

    await expect(workspace.importObject(ADDRESS, 'lost', quiet)).rejects.toMatchObject({ details: { reason } });
  });

  it('is not imported to an address that is taken', async () => {
    await failing(undefined);
    await hold();

    expect(await workspace.importObject(ADDRESS, 'lost', quiet)).toBe(false);
    expect(await calls()).toEqual([]);
  });
});

describe('an object that takes the place of another', () => {
  it('is seen before the other one is forgotten', async () => {
    await failing(undefined);
    await hold();
    await workspace.importInstead(ADDRESS, 'lost', quiet);

    expect((await calls()).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'import -input=false',
      'state rm',
    ]);
  });

  it.each(['Cannot import non-existent remote object', 'Post: EOF'])(
    'leaves the other one in its place where it is not seen: %s',
    async (text) => {
      await failing(text);
      await hold();
      await workspace.importInstead(ADDRESS, 'lost', quiet).catch(() => undefined);

      expect((await workspace.readState())?.resources).toEqual([expect.objectContaining({ id: 'held' })]);
      expect((await calls()).filter((line) => line.startsWith('state rm'))).toEqual([]);
    },
  );
});
