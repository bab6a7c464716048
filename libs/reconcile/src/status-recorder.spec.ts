import type { KubeObject } from '@crate/api';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OneObject } from './one-object.fixture.js';
import { StatusRecorder } from './status-recorder.js';

const EVERY_MS = 100;
const progress = (step: number): unknown => ({ progress: { step } });
const pause = async (): Promise<void> => jest.advanceTimersByTimeAsync(EVERY_MS);

let object: OneObject;
let stop: AbortController;
let recorder: StatusRecorder<KubeObject>;

beforeEach(() => {
  jest.useFakeTimers();
  object = new OneObject();
  stop = new AbortController();
  recorder = new StatusRecorder(object, object.current, stop.signal, EVERY_MS);
});
afterEach(() => {
  jest.useRealTimers();
});

describe('StatusRecorder', () => {
  it('writes the last of several reports only', async () => {
    for (let step = 1; step <= 5; step += 1) recorder.report(() => progress(step));
    await pause();

    expect(object.written).toEqual([progress(5)]);
  });

  it('goes on reporting', async () => {
    for (const step of [1, 2]) {
      recorder.report(() => progress(step));
      await pause();
    }

    expect(object.written).toEqual([progress(1), progress(2)]);
  });

  it('has the last word, whatever was reported before', async () => {
    recorder.report(() => progress(1));
    const saved = await recorder.save(progress(2));
    await pause();

    expect(saved['status']).toEqual(progress(2));
    expect(object.written).toEqual([progress(2)]);
  });

  it('goes on reporting after a status was saved in the middle of a pass', async () => {
    recorder.report(() => progress(1));
    await recorder.save(progress(2));
    recorder.report(() => progress(3));
    await pause();

    expect(object.written).toEqual([progress(2), progress(3)]);
  });

  it('writes one status at a time', async () => {
    object.answersAfterMs = 2 * EVERY_MS;
    const saved = recorder.save(progress(1));
    recorder.report(() => progress(2));
    await jest.advanceTimersByTimeAsync(10 * EVERY_MS);

    expect((await saved)['status']).toEqual(progress(1));
    expect(object.written).toEqual([progress(1), progress(2)]);
  });

  it('saves what can be stored of a text that was cut in the middle of a character', async () => {
    const message = 'never \0 🚫🚫'.slice(0, -1);
    await recorder.save({ conditions: [{ message }] });
    await recorder.save({ conditions: [{ message }] });

    expect(object.written).toEqual([{ conditions: [{ message: 'never  🚫' }] }]);
  });

  it('does not lose the status when the spec changes meanwhile', async () => {
    object.change({ spec: { region: 'eu-west-1' } });

    expect(await recorder.save(progress(2))).toMatchObject({ spec: { region: 'eu-west-1' }, status: progress(2) });
  });

  it('never overwrites the status of a newer pass', async () => {
    object.change({ status: progress(7) });

    await expect(recorder.save(progress(2))).rejects.toMatchObject({ code: 'Conflict' });
    expect(object.written).toEqual([]);
  });

  it.each([
    { name: 'took the place of ours', change: (): void => object.change({}, { uid: 'u2' }) },
    { name: 'is gone', change: (): void => void (object.stored = undefined) },
  ])('writes nothing to an object that $name', async ({ change }) => {
    change();

    await expect(recorder.save(progress(1))).rejects.toMatchObject({
      code: expect.stringMatching(/Conflict|NotFound/),
    });
    expect(object.written).toEqual([]);
  });

  it('drops what it is told to', async () => {
    recorder.report(() => progress(1));
    recorder.discard();
    await pause();

    expect(object.written).toEqual([]);
  });

  it('reports nothing once the pass is over its time', async () => {
    recorder.report(() => progress(1));
    stop.abort();
    await pause();

    expect(object.written).toEqual([]);
  });
});
