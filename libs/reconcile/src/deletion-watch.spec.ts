import { toTimestamp, type KubeObject } from '@crate/api';
import { unavailable } from '@crate/errors';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeletionWatch, type RunningDeletionWatch } from './deletion-watch.js';
import { OneObject } from './one-object.fixture.js';

const EVERY_MS = 10_000;
const look = async (): Promise<void> => jest.advanceTimersByTimeAsync(EVERY_MS);
/** What was told of is looked at before anything else comes. */
const told = async (): Promise<void> => jest.advanceTimersByTimeAsync(0);

let object: OneObject;
let parent: AbortController;
let watch: DeletionWatch<KubeObject>;
let running: RunningDeletionWatch;
let find: jest.SpiedFunction<() => Promise<KubeObject | undefined>>;

beforeEach(async () => {
  jest.useFakeTimers();
  object = new OneObject();
  find = jest.spyOn(object, 'find');
  parent = new AbortController();
  watch = new DeletionWatch(object, object);
  running = watch.start(object.current, parent.signal);
  await told();
  find.mockClear();
});
afterEach(() => {
  running.stop();
  jest.useRealTimers();
});

describe('DeletionWatch', () => {
  it('stays silent while the object is there, whatever else changes', async () => {
    object.change({ spec: { region: 'eu-west-1' } });
    object.tell();
    await look();

    expect(running.isRequested()).toBe(false);
    expect(running.signal.aborted).toBe(false);
  });

  describe.each([
    {
      name: 'is to be deleted',
      change: (): void => object.change({}, { deletionTimestamp: toTimestamp(new Date(0)) }),
    },
    { name: 'is gone', change: (): void => void (object.stored = undefined) },
    { name: 'gave its name to another', change: (): void => object.change({}, { uid: 'u2' }) },
  ])('when the object $name', ({ change }) => {
    it.each([
      { name: 'fires once it is told of it', notice: async (): Promise<void> => told() },
      { name: 'fires at the next look where the news is lost', notice: look },
    ])('$name', async ({ notice }) => {
      change();
      if (notice !== look) object.tell();
      await notice();

      expect(running.isRequested()).toBe(true);
      expect(running.signal.aborted).toBe(true);
    });
  });

  it('fires for what happened after the object was read, and before it was started', async () => {
    const { current } = object;
    object.change({}, { deletionTimestamp: toTimestamp(new Date(0)) });
    const late = watch.start(current, parent.signal);
    await told();

    expect(late.isRequested()).toBe(true);
    late.stop();
  });

  it('reads nothing while nothing is told of the object', async () => {
    object.tell('another');
    await told();

    expect(find).not.toHaveBeenCalled();
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
    find.mockRejectedValueOnce(unavailable('The store does not answer'));
    object.stored = undefined;
    object.tell();
    await told();
    expect(running.isRequested()).toBe(false);

    await look();
    expect(running.isRequested()).toBe(true);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('looks no more once stopped, and listens only while one runs', async () => {
    const other = watch.start(object.current, parent.signal);
    await told();
    running.stop();
    await look();
    expect(find).toHaveBeenCalledTimes(2);

    other.stop();
    other.stop();
    await look();
    expect(find).toHaveBeenCalledTimes(2);
    expect(object.isHeard).toBe(false);
  });
});
