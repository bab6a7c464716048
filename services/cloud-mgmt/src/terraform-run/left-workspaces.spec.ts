import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Infrastructure } from '@crate/api';
import { eventually } from '@crate/testing';
import { TerraformRunner, type TerraformBinary } from '@crate/terraform';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeftWorkspaces, type LeftWorkspacesParts } from './left-workspaces.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-left-'));
  for (const key of ['known', 'running', 'gone', 'sweep-u1-us-east-1']) await workspace(key, 25);
  await workspace('young', 23);
});
afterEach(async () => rm(directory, { recursive: true }));

async function workspace(key: string, ageHours: number): Promise<void> {
  const path = join(directory, 'workspaces', key);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'terraform.tfstate'), '{}');
  const time = new Date(Date.now() - ageHours * 3_600_000);
  await utimes(path, time, time);
}

function leftWorkspaces(parts: Partial<LeftWorkspacesParts> = {}): LeftWorkspaces {
  return new LeftWorkspaces({
    runner: new TerraformRunner({ binary: {} as TerraformBinary, directory, path: '' }),
    infrastructures: { list: async () => [{ metadata: { uid: 'known' } } as Infrastructure] },
    runs: { listOpen: async (key) => (key === 'running' ? [{} as never] : []) },
    recovery: { isClosed: async () => false },
    logger: { warn: jest.fn() },
    ...parts,
  });
}

async function leftAfter(parts: Partial<LeftWorkspacesParts> = {}): Promise<readonly string[]> {
  await leftWorkspaces(parts).clear();
  return left();
}

async function left(): Promise<readonly string[]> {
  return (await readdir(join(directory, 'workspaces'))).sort();
}

const ALL = ['gone', 'known', 'running', 'sweep-u1-us-east-1', 'young'];

it('removes what belongs to nothing that is known, has no open run and was left alone for a day', async () => {
  expect(await leftAfter()).toEqual(['known', 'running', 'young']);
});

it('removes nothing while the database is older than the world', async () => {
  expect(await leftAfter({ recovery: { isClosed: async () => true } })).toEqual(ALL);
});

it('removes nothing, and fails nothing, while nobody can say what is known', async () => {
  const warn = jest.fn();
  const list = async (): Promise<never> => Promise.reject(new Error('no answer'));
  expect(await leftAfter({ infrastructures: { list }, logger: { warn } })).toEqual(ALL);
  expect(warn).toHaveBeenCalledTimes(1);
});

it('looks again and again: what another replica deleted, or a restore held up, does not wait for the next start', async () => {
  let isClosed = true;
  const workspaces = leftWorkspaces({ recovery: { isClosed: async () => isClosed }, everyMs: 20 });
  await workspaces.start();
  try {
    expect(await left()).toEqual(ALL);
    isClosed = false;
    await eventually(async () => expect(await left()).toEqual(['known', 'running', 'young']));
    await workspace('deleted-meanwhile', 25);
    await eventually(async () => expect(await left()).toEqual(['known', 'running', 'young']));
  } finally {
    await workspaces.stop();
  }
});
