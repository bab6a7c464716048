import { toTimestamp, type KubeObject } from '@crate/api';
import { unavailable } from '@crate/errors';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeletionWatch, type RunningDeletionWatch } from './deletion-watch.js';
import { OneObject } from './one-object.fixture.js';

const EVERY_MS = 100;
const look = async (): Promise<void> => jest.advanceTimersByTimeAsync(EVERY_MS);

let object: OneObject;
let parent: AbortController;
let running: RunningDeletionWatch;

beforeEach(() => {
  jest.useFakeTimers();
  object = new OneObject();
  parent = new AbortController();
  running = new DeletionWatch(object, EVERY_MS).start(object.current, parent.signal);
});
afterEach(() => {
  running.stop();
  jest.useRealTimers();
});

describe('DeletionWatch', () => {
  it('stays silent while the object is there, whatever else changes', async () => {
    object.change({ spec: { region: 'eu-west-1' } });
    await look();

    expect(running.isRequested()).toBe(false);
    expect(running.signal.aborted).toBe(false);
  });

  it.each([
    {
      name: 'is to be deleted',
      change: (): void => object.change({}, { deletionTimestamp: toTimestamp(new Date(0)) }),
    },
    { name: 'is gone', change: (): void => void (object.stored = undefined) },
    { name: 'gave its name to another', change: (): void => object.change({}, { uid: 'u2' }) },
  ])('fires when the object $name', async ({ change }) => {
    change();
    await look();

    expect(running.isRequested()).toBe(true);
    expect(running.signal.aborted).toBe(true);
  });

  it('looks at once when it is asked to', async () => {
    expect(await running.look()).toBe(false);
    object.stored = undefined;
    expect(await running.look()).toBe(true);
    expect(running.signal.aborted).toBe(true);
  });

  it('fires with its parent, which is no deletion', () => {
    parent.abort();

    expect(running.signal.aborted).toBe(true);
    expect(running.isRequested()).toBe(false);
  });

  it('looks again after a look that failed', async () => {
    const find = jest.spyOn(object, 'find').mockRejectedValueOnce(unavailable('The store does not answer'));
    object.stored = undefined;
    await look();
    expect(running.isRequested()).toBe(false);

    await look();
    expect(running.isRequested()).toBe(true);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('looks no more once stopped', async () => {
    const find: jest.SpiedFunction<() => Promise<KubeObject | undefined>> = jest.spyOn(object, 'find');
    running.stop();
    await look();

    expect(find).not.toHaveBeenCalled();
  });
});
