import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aState } from './testing/a-state.js';
import { WorkspaceFiles } from './workspace-files.js';

let directory: string;
let files: WorkspaceFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-files-'));
  files = new WorkspaceFiles(directory);
});
afterEach(async () => rm(directory, { recursive: true }));

const put = (name: string, serial: number): Promise<void> => writeFile(join(directory, name), aState({ serial }));
const recovered = async (stored: number | undefined, edit?: number): Promise<number | undefined> =>
  (await files.recoverState(stored === undefined ? undefined : aState({ serial: stored }), { edit }))?.serial;

describe('a state that a person put in place', () => {
  it('counts more than copies from before, whatever their serials say', async () => {
    await put('terraform.tfstate', 12);
    await put('errored.tfstate', 13);
    await put('terraform.tfstate.backup', 11);

    expect(await recovered(9, 4)).toBe(9);
    expect((await files.readState())?.serial).toBe(9);
    expect((await readdir(directory)).sort()).toEqual(['.state-edit', 'terraform.tfstate']);
  });

  it('counts no more than what runs made of it', async () => {
    await recovered(9, 4);
    await put('terraform.tfstate', 10);

    expect(await recovered(9, 4)).toBe(10);
    expect(await recovered(10, 4)).toBe(10);
  });

  it('is followed by the next one', async () => {
    await recovered(9, 4);
    await put('terraform.tfstate', 20);

    expect(await recovered(15, 7)).toBe(15);
  });

  it('counts no more than what a later one was made of, where the database was set back to a point between the two', async () => {
    await recovered(9, 4);
    await recovered(15, 7);
    await put('terraform.tfstate', 20);

    expect(await recovered(12, 4)).toBe(20);
    expect(await recovered(12, 4)).toBe(20);
    expect(await recovered(18, 8)).toBe(18);
  });

  it('leaves the newest copy alone where nobody ever put one in place', async () => {
    await put('terraform.tfstate', 12);
    expect(await recovered(9)).toBe(12);
    expect(await readdir(directory)).toEqual(['terraform.tfstate']);
  });

  it('is taken up whole or not at all: half of it is done again', async () => {
    await put('terraform.tfstate', 12);
    // As if it was killed before it noted what it took up.
    await recovered(9, 4);
    await rm(join(directory, '.state-edit'));
    expect(await recovered(9, 4)).toBe(9);
  });
});

describe('a state that somebody stored after this workspace had lost the right to', () => {
  const recoveredBy = async (epoch: bigint, stored: number, fence: bigint | undefined): Promise<number | undefined> =>
    (await files.recoverState(aState({ serial: stored }), { epoch, fence }))?.serial;

  it('counts more than what this one went on to write', async () => {
    await recoveredBy(1n, 120, undefined);
    await put('terraform.tfstate', 170);

    expect(await recoveredBy(3n, 156, 2n)).toBe(156);
    expect((await files.readState())?.serial).toBe(156);
  });

  it.each([
    { reason: 'the run that wrote it crashed before it could store it', fence: 1n },
    { reason: 'the database was restored to an older point', fence: 0n },
    { reason: 'what is stored is from before fences were bound', fence: undefined },
  ])('is not what is stored where $reason: the copy here is newer', async ({ fence }) => {
    await recoveredBy(1n, 120, undefined);
    await put('terraform.tfstate', 170);

    expect(await recoveredBy(2n, 156, fence)).toBe(170);
  });

  it('does not count more where nobody has noted when the copy is from', async () => {
    await put('terraform.tfstate', 170);
    expect(await recoveredBy(3n, 156, 2n)).toBe(170);
  });

  it('is not told by a pass that comes late', async () => {
    await recoveredBy(2n, 120, undefined);
    await recoveredBy(1n, 120, 2n);
    await put('terraform.tfstate', 170);

    expect(await recoveredBy(3n, 156, 2n)).toBe(170);
  });
});
