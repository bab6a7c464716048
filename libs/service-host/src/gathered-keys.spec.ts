import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import type { ReconcileKey } from '@crate/reconcile';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { GatheredKeys } from './gathered-keys.js';

const a = { namespace: '', name: 'a' };
const b = { namespace: '', name: 'b' };

let stopping: AbortController;
let due: (readonly ReconcileKey[])[];
let failures: number;
let gathered: GatheredKeys;
beforeEach(() => {
  stopping = new AbortController();
  due = [];
  failures = 0;
  gathered = new GatheredKeys({
    enqueue: (keys) => {
      if (failures > 0) {
        failures -= 1;
        return Promise.reject(unavailable('Away'));
      }
      due.push(keys);
      return Promise.resolve();
    },
    gatherMs: 20,
    logger: new InMemoryLogger(),
    signal: stopping.signal,
  });
});
afterEach(() => stopping.abort());

describe('GatheredKeys', () => {
  it('makes each key due once for all changes of a time', async () => {
    gathered.add([a, b]);
    gathered.add([a]);
    gathered.add([]);
    await gathered.idle();
    expect(due).toEqual([[a, b]]);

    gathered.add([a]);
    await gathered.idle();
    expect(due).toEqual([[a, b], [a]]);
  });

  it('tries again when the queue is away, with what came meanwhile', async () => {
    failures = 2;
    gathered.add([a]);
    await eventually(() => expect(failures).toBe(1));
    gathered.add([b]);
    await gathered.idle();
    expect(due.flat()).toEqual(expect.arrayContaining([a, b]));
  });

  it('stops with its service', async () => {
    gathered.add([a]);
    stopping.abort();
    await gathered.idle();
    expect(due).toEqual([]);
  });
});
