import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conditionTrue, mergeConditions, type WatchEvent } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { eventually } from '@crate/testing';
import { createCluster, NAMESPACE } from '../bench-cluster.js';
import { untilAllReady } from './until-ready.js';

const NAMES = ['a', 'b'];
const REF = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', namespace: NAMESPACE };

let api: InMemoryTargetCluster;
let said: string[];
beforeEach(async () => {
  api = new InMemoryTargetCluster();
  said = [];
  for (const name of NAMES) await createCluster(api, name);
});

function setReady(name: string, isIt = true): void {
  const facts = isIt ? [conditionTrue('Ready', 'Ready')] : [];
  api.interfere({ ...REF, name }, (object) => {
    const conditions = mergeConditions([], facts, { generation: object.metadata.generation, now: new Date() });
    return { ...object, status: { conditions } };
  });
}

function wait(): Promise<void> {
  return untilAllReady(api, NAMES, performance.now(), (line) => said.push(line));
}

describe('untilAllReady', () => {
  it('lists clusters once, and hears of the rest', async () => {
    const list = jest.spyOn(api, 'list');
    const all = wait();
    await eventually(() => expect(api.isWatched).toBe(true));
    setReady('a');
    setReady('b');
    await all;
    expect(list).toHaveBeenCalledTimes(1);
    expect(said).toEqual(['0 of 2 clusters are Ready after 0 s']);
  });

  it('is over when all are Ready at the same time', async () => {
    setReady('a');
    let isOver = false;
    const all = wait().then(() => (isOver = true));
    await eventually(() => expect(api.isWatched).toBe(true));
    setReady('a', false);
    setReady('b');
    // What was heard of is dealt with by then.
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    setReady('a');
    await all;
  });

  it('looks again where what it has seen is too old to go on from', async () => {
    const watch = jest.spyOn(api, 'watch').mockImplementationOnce(gone);
    const all = wait();
    await eventually(() => expect(api.isWatched).toBe(true));
    expect(watch).toHaveBeenCalledTimes(2);
    NAMES.forEach((name) => setReady(name));
    await all;
  });

  it('gives up after far too long', async () => {
    const long = performance.now() - 24 * 60 * 60_000;
    await expect(untilAllReady(api, NAMES, long, () => undefined)).rejects.toMatchObject({ code: 'Timeout' });
  });
});

/** Ends before anything has changed. */
async function* gone(): AsyncIterable<WatchEvent> {
  await Promise.resolve();
  throw new PlatformError('Gone', 'too old resource version');
}
