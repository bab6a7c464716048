import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conflict, PlatformError } from '@crate/errors';
import { eventually } from '@crate/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StateMirror } from './state-mirror.js';
import { parseState } from './state-file.js';
import { aState } from './testing/a-state.js';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-mirror-'));
  file = join(directory, 'terraform.tfstate');
});
afterEach(async () => rm(directory, { recursive: true }));

/** A store that notes serials, and fails as often as told. */
class FakeStore {
  readonly serials: number[] = [];
  readonly times: number[] = [];
  attempts = 0;
  failure: Error | undefined;

  readonly store = async (bytes: Uint8Array): Promise<void> => {
    this.attempts += 1;
    if (this.failure) throw this.failure;
    this.serials.push(parseState(bytes)!.serial);
    this.times.push(performance.now());
  };
}

const write = (serial: number): Promise<void> => writeFile(file, aState({ serial }));
const notFenced = (): void => {
  throw new Error('Not expected');
};

describe('StateMirror', () => {
  it('stores each change soon, and the same content once', async () => {
    const store = new FakeStore();
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced });
    await write(1);
    await eventually(() => store.serials.at(-1) === 1);
    await write(2);
    await eventually(() => store.serials.at(-1) === 2);
    await write(2);

    await mirror.finish();
    expect(store.serials).toEqual([1, 2]);
  });

  it('stores what was written last when it finishes', async () => {
    const store = new FakeStore();
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced });
    for (let serial = 1; serial <= 50; serial += 1) await write(serial);

    await mirror.finish();
    expect(store.serials.at(-1)).toBe(50);
    expect(store.serials.length).toBeLessThan(50);
  });

  it('stores no more than two copies a second while the file changes all the time', async () => {
    const store = new FakeStore();
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced });
    for (let serial = 1; store.times.length < 4; serial += 1) await write(serial);
    const pauses = store.times.slice(1).map((time, index) => time - store.times[index]!);

    await mirror.finish();
    expect(Math.min(...pauses)).toBeGreaterThan(490);
  });

  it('never stores half a write', async () => {
    const store = new FakeStore();
    await writeFile(file, aState({ serial: 1 }).subarray(0, 30));
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced });
    await mirror.finish();

    expect(store.attempts).toBe(0);
  });

  it.each([
    { name: 'is down', failure: new Error('The database is down') },
    {
      name: 'let somebody else go first',
      failure: new PlatformError('Conflict', 'A deadlock', { cause: new Error() }),
    },
  ])('goes on trying while the store $name, up to the end', async ({ failure }) => {
    const store = new FakeStore();
    store.failure = failure;
    await write(1);
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced });
    await eventually(() => store.attempts >= 2);
    const finished = mirror.finish();
    store.failure = undefined;

    await finished;
    expect(store.serials).toEqual([1]);
  });

  it('says so when the store did not take it in time', async () => {
    const store = new FakeStore();
    store.failure = new Error('The database is down');
    await write(1);
    const mirror = new StateMirror({ file, store: store.store, onFenced: notFenced, finishWithinMs: 0 });

    await expect(mirror.finish()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('tells once that a newer holder took over, and does not try again', async () => {
    const store = new FakeStore();
    store.failure = conflict('A newer holder has written this secret');
    const fenced: unknown[] = [];
    await write(1);
    const mirror = new StateMirror({ file, store: store.store, onFenced: (error) => fenced.push(error) });
    await eventually(() => fenced.length === 1);

    await expect(mirror.finish()).rejects.toMatchObject({ code: 'Conflict' });
    expect(fenced).toEqual([store.failure]);
  });
});
