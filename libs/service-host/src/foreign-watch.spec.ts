import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject, WatchEvent } from '@crate/api';
import { PlatformError, forbidden } from '@crate/errors';
import type { TypedClient, WatchOptions } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import { followForeignKind } from './foreign-watch.js';
import { WIDGET } from './testing/toy-kinds.js';

function object(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Widget', metadata: { name, resourceVersion } as KubeObject['metadata'] };
}

const added = (name: string, revision: string): WatchEvent => ({ type: 'ADDED', object: object(name, revision) });
const bookmark = (revision: string): WatchEvent => ({ type: 'BOOKMARK', object: object('', revision) });

/** One watch after the other: what it delivers, and how it ends. */
type Script = readonly (WatchEvent | Error)[];

let controller: AbortController;
let asked: WatchOptions[];
let seen: string[];
let logger: InMemoryLogger;
beforeEach(() => {
  controller = new AbortController();
  asked = [];
  seen = [];
  logger = new InMemoryLogger();
});

/** Plays the scripts; after the last one the watch is ended from outside. */
async function follow(
  scripts: readonly Script[],
  onObject?: (name: string) => void,
  meanwhile?: (name: string) => Promise<void>,
): Promise<void> {
  async function* watch(options: WatchOptions): AsyncGenerator<WatchEvent> {
    asked.push(options);
    for (const step of scripts[asked.length - 1] ?? []) {
      if (step instanceof Error) throw step;
      yield step;
    }
    if (asked.length > scripts.length) controller.abort();
  }
  await followForeignKind({
    kind: WIDGET,
    client: { watch } as unknown as TypedClient<KubeObject>,
    onObject: async ({ metadata }) => {
      onObject?.(metadata.name);
      await meanwhile?.(metadata.name);
      seen.push(metadata.name);
    },
    logger,
    signal: controller.signal,
  });
}

function starts(): readonly (string | undefined)[] {
  return asked.map(({ resourceVersion, sendInitialEvents }) => (sendInitialEvents ? 'all' : resourceVersion));
}

describe('followForeignKind', () => {
  it('asks for everything first, then goes on behind the last change', async () => {
    await follow([[added('a', '9'), added('b', '3'), bookmark('12'), added('c', '13')], [added('d', '14')]]);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect(starts()).toEqual(['all', '13', '14']);
  });

  it('starts over when the view of what exists was cut short: its revisions are in no order', async () => {
    await follow([
      [added('a', '9'), new Error('connection lost')],
      [added('a', '9'), added('b', '3'), bookmark('12')],
    ]);
    expect(seen).toEqual(['a', 'a', 'b']);
    expect(starts()).toEqual(['all', 'all', '12']);
  });

  it('starts over when there was nothing yet, because what comes then is in no order either', async () => {
    await follow([[bookmark('0'), added('a', '2'), new Error('connection lost')]]);
    expect(starts()).toEqual(['all', 'all']);
  });

  it('starts over when the owner has forgotten the revision', async () => {
    await follow([[bookmark('12')], [new PlatformError('Gone', 'too old')], [added('a', '20'), bookmark('30')]]);
    expect(starts()).toEqual(['all', '12', 'all', '30']);
    expect(logger.lines).toEqual([]);
  });

  it('has a change told again that nobody took', async () => {
    let fails = 2;
    await follow(
      [[bookmark('12'), added('a', '13')], [added('a', '13')], [added('a', '13'), added('b', '14')]],
      (name) => {
        if (name === 'a' && (fails -= 1) >= 0) throw new Error('the database is away');
      },
    );
    expect(seen).toEqual(['a', 'b']);
    expect(starts()).toEqual(['all', '12', '12', '14']);
  });

  it('takes several of those that exist at once, and of changes one after the other', async () => {
    let [underWay, most] = [0, { existing: 0, changed: 0 }];
    const many = Array.from({ length: 100 }, (_, index) => added(`old-${index}`, `${index + 1}`));
    const changes = Array.from({ length: 5 }, (_, index) => added(`new-${index}`, `${index + 201}`));
    await follow([[...many, bookmark('200'), ...changes]], undefined, async (name) => {
      underWay += 1;
      const kind = name.startsWith('old') ? 'existing' : 'changed';
      most = { ...most, [kind]: Math.max(most[kind], underWay) };
      await setImmediate();
      underWay -= 1;
    });
    expect(seen).toHaveLength(105);
    expect(most).toEqual({ existing: 32, changed: 1 });
  });

  it('begins again when one of those that exist was not taken, and not before the others are done', async () => {
    let fails = 1;
    const order: string[] = [];
    const all = [added('a', '9'), added('b', '3'), bookmark('12')];
    await follow([all, all], undefined, async (name) => {
      order.push(`${name} begins`);
      await setImmediate();
      if (name === 'a' && (fails -= 1) >= 0) throw new Error('the database is away');
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      order.push(`${name} ends`);
    });
    expect(order.slice(0, 3)).toEqual(['a begins', 'b begins', 'b ends']);
    expect(starts()).toEqual(['all', 'all', '12']);
  });

  it('tells the log why it watches again', async () => {
    await follow([[forbidden('not allowed')]]);
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'Watching again after an error', fields: { kind: 'Widget' } },
    ]);
  });

  it('ends at once when asked to while it waits to try again', async () => {
    const following = follow(Array.from({ length: 8 }, () => [new Error('down')]));
    controller.abort();
    await following;
    expect(asked.length).toBeLessThan(3);
  });
});
