import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { conflict, PlatformError } from '@crate/errors';
import { rm, writeFile } from 'node:fs/promises';
import { PivotSide } from '../pivot/pivot-side.js';
import { temporaryDataDir } from '../testing/temporary-data-dir.js';
import { BootstrapDir } from './bootstrap-dir.js';
import { Journal } from './journal.js';
import { refuseAnother } from './refuse-another.js';
import type { BootstrapRequest } from './request.js';
import { rollBackBootstrap, ROLLING_BACK } from './roll-back.js';
import type { BootstrapScope } from './scope.js';

const REQUEST = {
  cloud: 'sandbox',
  name: 'platform',
  databaseUrlFile: '/db.url',
} as BootstrapRequest;
const HAS_MOVED = new PlatformError('Conflict', 'too late', { retry: 'never', details: { reason: 'HasMoved' } });

let dir: BootstrapDir;
let isEnded: boolean;
beforeEach(async () => {
  dir = new BootstrapDir((await temporaryDataDir()).root);
  isEnded = false;
  await writeFile(dir.databaseUrl(), 'postgresql://crate@db.example.com/crate');
});
afterEach(async () => rm(dir.root, { recursive: true }));

async function done(...steps: readonly string[]): Promise<void> {
  const journal = await Journal.open(dir.journal(), REQUEST);
  for (const step of steps) await journal.add(step);
}

async function rollBack(takeBack: () => Promise<boolean>): Promise<void> {
  const singleton = {
    side: PivotSide.of('the temporary platform', dir.singleton.root),
    ensure: () => Promise.resolve(),
    end: () => Promise.resolve(void (isEnded = true)),
  };
  const scope = { request: REQUEST, dir, singleton, say: () => undefined } as unknown as BootstrapScope;
  const journal = await Journal.find(dir.journal());
  if (journal) await rollBackBootstrap(scope, journal, takeBack);
}

describe('rollBackBootstrap', () => {
  it('takes the move back before it takes anything away', async () => {
    await done('preflight', 'available');
    await rollBack(() => Promise.resolve(!isEnded));
    expect(isEnded).toBe(true);
    expect(await Journal.find(dir.journal())).toBeUndefined();
  });

  it.each([
    { reason: 'the move alone knew that it was too late', steps: ['preflight', 'available'] },
    { reason: 'an older release wrote down that it goes back', steps: ['preflight', 'available', ROLLING_BACK] },
  ])('leaves a way on past the point of no return, where $reason', async ({ steps }) => {
    await done(...steps);
    await expect(rollBack(() => Promise.reject(HAS_MOVED))).rejects.toMatchObject({ details: { reason: 'HasMoved' } });
    await refuseAnother(dir, REQUEST);
    expect(isEnded).toBe(false);
  });

  it('only goes back once the move is taken back', async () => {
    await done('preflight', 'available');
    await expect(rollBack(() => Promise.reject(conflict('elsewhere')))).rejects.toThrow('elsewhere');
    await refuseAnother(dir, REQUEST);
  });

  it('goes on back where it was killed, and asks for the move no more', async () => {
    await done('preflight', 'available', ROLLING_BACK, 'moveTakenBack');
    await expect(refuseAnother(dir, REQUEST)).rejects.toMatchObject({ details: { reason: 'RollingBack' } });
    await rollBack(() => Promise.reject(HAS_MOVED));
    expect(await Journal.find(dir.journal())).toBeUndefined();
  });
});
