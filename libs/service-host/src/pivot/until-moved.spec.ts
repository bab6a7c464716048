import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, WatchEvent } from '@crate/api';
import { unavailable } from '@crate/errors';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { untilMoved, type OpenWatch } from './until-moved.js';

const MOVED = unavailable('This installation has moved to https://there.example.com');
const event = (revision: number): WatchEvent => ({
  type: 'MODIFIED',
  object: { apiVersion: 'v1', kind: 'Widget', metadata: { resourceVersion: `${revision}` } as KubeObject['metadata'] },
});

let moving: AbortController;
/** What the log holds; a watch of it waits for more until it is ended. */
let log: WatchEvent[];
let hasEnded: boolean;
beforeEach(() => {
  moving = new AbortController();
  log = [event(1), event(2)];
  hasEnded = false;
});

const openLog: OpenWatch = async function* (signal) {
  try {
    for (let at = 0; !signal.aborted;) {
      const next = log[at];
      if (next) at += 1;
      if (next) yield next;
      else await delay(5);
    }
  } finally {
    hasEnded = true;
  }
};

interface Followed {
  readonly revisions: string[];
  readonly end: Promise<unknown>;
}

function follow(
  open: OpenWatch,
  { signal, onEvent }: { signal?: AbortSignal; onEvent?: () => Promise<void> } = {},
): Followed {
  const revisions: string[] = [];
  const end = (async () => {
    for await (const { object } of untilMoved(open, { moved: moving.signal, signal, quietMs: 50 })) {
      revisions.push(object.metadata.resourceVersion);
      await onEvent?.();
    }
    return 'ended';
  })();
  return { revisions, end: end.catch((error: unknown) => error) };
}

describe('an open watch of an installation that moves', () => {
  it('goes on until then, is told the rest of the log once, and ends with the new address', async () => {
    const { revisions, end } = follow(openLog);
    await eventually(() => revisions.length === 2);
    log.push(event(3), event(4));
    moving.abort(MOVED);
    expect(await end).toBe(MOVED);
    expect(revisions).toEqual(['1', '2', '3', '4']);
    expect(hasEnded).toBe(true);
  });

  it('gives a reader that takes longer than the log is quiet all that is left', async () => {
    log = [1, 2, 3, 4].map(event);
    const { revisions, end } = follow(openLog, {
      onEvent: async () => {
        moving.abort(MOVED);
        const longerThanQuiet = performance.now() + 100;
        await eventually(() => performance.now() > longerThanQuiet);
      },
    });
    expect(await end).toBe(MOVED);
    expect(revisions).toEqual(['1', '2', '3', '4']);
  });

  it('ends in peace when its reader goes or its time is over, and with the address when that was after the move', async () => {
    const reader = new AbortController();
    const gone = follow(openLog, { signal: reader.signal });
    await eventually(() => gone.revisions.length === 2);
    reader.abort();
    expect(await gone.end).toBe('ended');
    const timely: OpenWatch = async function* () {
      yield event(1);
    };
    expect(await follow(timely).end).toBe('ended');
    moving.abort(MOVED);
    expect(await follow(timely).end).toBe(MOVED);
  });

  it('fails as the watch itself does before the move', async () => {
    const failing: OpenWatch = async function* () {
      yield event(1);
      throw new Error('Too old');
    };
    expect(await follow(failing).end).toMatchObject({ message: 'Too old' });
  });
});
