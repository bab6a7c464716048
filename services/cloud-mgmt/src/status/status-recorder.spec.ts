import type { Infrastructure } from '@crate/api';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryCloud, NAMESPACE } from '../testing/in-memory-cloud.js';
import { StatusRecorder } from './status-recorder.js';

const { signal } = new AbortController();
const progress = (step: number): unknown => ({ progress: { step, steps: 9, message: '' } });
let cloud: InMemoryCloud;
let object: Infrastructure;

beforeEach(async () => {
  cloud = new InMemoryCloud();
  object = await cloud.ensureInfrastructure();
});

const find = async (): Promise<Infrastructure | undefined> => cloud.infrastructures.find('demo', NAMESPACE);

describe('StatusRecorder', () => {
  it('publishes the last of several reports only', async () => {
    const recorder = new StatusRecorder(cloud.infrastructures, object, signal, 20);
    const before = Number(await cloud.store.currentRevision());
    for (let step = 1; step <= 5; step += 1) recorder.report(() => progress(step));
    await eventually(async () => expect((await find())?.status?.progress?.step).toBe(5));

    expect(Number(await cloud.store.currentRevision())).toBe(before + 1);
  });

  it('has the last word, whatever was reported before', async () => {
    const recorder = new StatusRecorder(cloud.infrastructures, object, signal, 0);
    recorder.report(() => progress(1));
    const saved = await recorder.save(progress(2));

    expect(saved.status?.progress?.step).toBe(2);
    expect((await find())?.status?.progress?.step).toBe(2);
  });

  it('does not lose the status when the spec changes meanwhile', async () => {
    const recorder = new StatusRecorder(cloud.infrastructures, object, signal);
    await cloud.ensureInfrastructure('demo', { region: 'eu-west-1' });
    const saved = await recorder.save(progress(2));

    expect(saved).toMatchObject({ spec: { region: 'eu-west-1' }, status: { progress: { step: 2 } } });
  });

  it('never overwrites the status of a newer pass', async () => {
    const recorder = new StatusRecorder(cloud.infrastructures, object, signal);
    await cloud.infrastructures.saveStatus(object, progress(7));

    await expect(recorder.save(progress(2))).rejects.toMatchObject({ code: 'Conflict' });
    expect((await find())?.status?.progress?.step).toBe(7);
  });

  it('drops what it is told to', async () => {
    const recorder = new StatusRecorder(cloud.infrastructures, object, signal, 1);
    const before = await cloud.store.currentRevision();
    recorder.report(() => progress(1));
    recorder.discard();
    await recorder.save(undefined);

    expect(await cloud.store.currentRevision()).toBe(before);
  });
});
