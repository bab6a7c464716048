import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Contenders } from '../testing/contenders.js';

/** Greater than any id that Linux gives. */
const NOBODY = 2 ** 22 + 1;
const [PROCESSES, ROUNDS] = [8, 25];

let directory: string;
let contenders: Contenders;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-lock-'));
  contenders = Contenders.start(PROCESSES);
});
afterAll(async () => {
  contenders.end();
  await rm(directory, { recursive: true, force: true });
});

it('lets exactly one of many processes take over what a killed one left, and leaves nothing behind', async () => {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const path = join(directory, 'bootstrap.pid');
    await writeFile(path, JSON.stringify({ pid: NOBODY }));
    const told = await contenders.contend(path);
    expect([...told].sort()).toEqual([...Array<string>(PROCESSES - 1).fill('AlreadyRuns'), 'alone']);
    expect(await readdir(directory)).toEqual([]);
  }
});
