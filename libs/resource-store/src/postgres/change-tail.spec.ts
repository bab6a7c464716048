import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { eventually } from '@crate/testing';
import type { Change } from '../change/change.js';
import { ChangeListeners } from '../change/change-listeners.js';
import type { ChangeNotice } from '../resource-store.js';
import { CompiledQuery } from '../selector/compiled-query.js';
import type { ChangeLog, LogPage } from './change-log.js';
import { ChangeTail } from './change-tail.js';
import type { Writer } from './writer.js';

const OURS = 'ours';
const THEIRS = 'theirs';
const WIDGETS = new CompiledQuery({ group: 'example.dev', kind: 'Widget' });
const START = 10;

let logged: { readonly change: Change; readonly writer: string }[];
let reads: number;
/** The revisions that each statement for earlier states asked about. */
let asked: (readonly number[])[];
let failure: Error | undefined;
/** Keeps the next statement from being answered. */
let held: Promise<void> | undefined;
let told: ChangeNotice[];
let tail: ChangeTail;
let leave: () => void;
beforeEach(async () => {
  logged = [];
  reads = 0;
  asked = [];
  failure = undefined;
  held = undefined;
  told = [];
  const listeners = new ChangeListeners();
  listeners.add((notices, origin) => {
    if (origin === 'remote') told.push(...notices);
  });
  const log = {
    head: () => Promise.resolve(START),
    read: (cursor: number): Promise<LogPage> => {
      reads += 1;
      const page = logged.filter(({ change }) => change.revision > cursor);
      const readTo = page.at(-1)?.change.revision ?? cursor;
      return Promise.resolve({ changes: page.map(({ change, writer }) => ({ ...change, writer })), readTo });
    },
    previousOf: (changes: readonly Change[]): Promise<ReadonlyMap<number, KubeObject>> => {
      asked.push(changes.map(({ revision }) => revision));
      if (failure) return Promise.reject(failure);
      const answer = new Map(changes.map(({ revision, object }) => [revision, before(object)]));
      return (held ?? Promise.resolve()).then(() => answer);
    },
  };
  tail = new ChangeTail(log as unknown as ChangeLog, listeners, { pollMs: 60_000, writer: { name: OURS } as Writer });
  leave = tail.join();
  await tail.waitBeyond(START - 1, new AbortController().signal, 1_000);
});
afterEach(async () => {
  leave();
  await tail.close();
});

function change(revision: number): Change {
  const metadata = { name: `w${revision}`, uid: `u${revision}`, resourceVersion: String(revision) };
  const object = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata, spec: { size: 1 } } as unknown as KubeObject;
  const key = { group: 'example.dev', kind: 'Widget', namespace: '', name: metadata.name };
  return { revision, type: 'ADDED', key, uid: metadata.uid, object };
}

function before(object: KubeObject): KubeObject {
  return { ...object, spec: { size: 0 } };
}

function commit(revision: number, writer: string, type: Change['type'] = 'ADDED'): void {
  const committed = { ...change(revision), type };
  logged.push({ change: committed, writer });
  if (writer === OURS) tail.committed([committed]);
}

/** Revisions that a watch sees from where the tail began, until it has seen so many. */
async function seen(count: number): Promise<readonly number[]> {
  const all: number[] = [];
  for (let cursor = START; all.length < count;) {
    const { changes, readTo } = await tail.read(cursor, WIDGETS);
    all.push(...changes.map(({ revision }) => revision));
    if (readTo === cursor) await tail.waitBeyond(cursor, new AbortController().signal, 1_000);
    cursor = readTo;
  }
  return all;
}

describe('ChangeTail', () => {
  it('reads nothing back that this process has committed', async () => {
    for (const revision of [11, 12, 13]) commit(revision, OURS);
    expect(await seen(3)).toEqual([11, 12, 13]);
    tail.wake(13); // The hint that its own commit sent round.
    expect(reads).toBe(0);
  });

  it('reads what others have committed in between, and tells it once', async () => {
    for (const [revision, writer] of [
      [11, OURS],
      [12, THEIRS],
      [13, OURS],
      [14, OURS],
    ] as const)
      commit(revision, writer);
    expect(await seen(4)).toEqual([11, 12, 13, 14]);
    expect(told.map(({ revision }) => revision)).toEqual(['12']);
  });

  it('reads what others have committed behind its own, when it is told of it', async () => {
    commit(11, OURS);
    commit(12, THEIRS);
    tail.wake(12);
    expect(await seen(2)).toEqual([11, 12]);
  });

  it('tells of its own changes that the log has only when no answer to them comes', async () => {
    logged.push({ change: change(11), writer: OURS }, { change: change(12), writer: OURS });
    tail.wake(12);
    expect(await seen(2)).toEqual([11, 12]);
    tail.committed([change(11)]);
    expect(told).toEqual([]);
    tail.giveUpAnswers();
    tail.giveUpAnswers();
    expect(told.map(({ revision }) => revision)).toEqual(['12']);
  });

  it('asks the log when a revision comes a second time: a database may have lost commits', async () => {
    commit(11, OURS);
    expect(await seen(1)).toEqual([11]);
    const before = reads;
    tail.committed([change(11)]);
    await eventually(() => expect(reads).toBeGreaterThan(before));
  });

  it('shows watches objects that whoever wrote them may change', async () => {
    const mine = change(11);
    tail.committed([mine]);
    (mine.object as unknown as { spec: { size: number } }).spec.size = 2;
    await seen(1);
    const { changes } = await tail.read(START, WIDGETS);
    expect(changes[0]?.object).toMatchObject({ spec: { size: 1 } });
  });

  it('asks the log for a watch that is ahead of it: a database may have lost commits', async () => {
    const { changes } = await tail.read(START + 990, WIDGETS);
    expect(changes).toEqual([]);
    expect(reads).toBe(1);
  });
});

describe('the states that changes replaced', () => {
  /** What one watch asks for its page. */
  async function ask(): Promise<ReadonlyMap<number, KubeObject>> {
    return tail.previousOf((await tail.read(START, WIDGETS)).changes);
  }

  beforeEach(async () => {
    commit(11, OURS);
    commit(12, OURS, 'MODIFIED');
    commit(13, OURS, 'DELETED');
    await seen(3);
  });

  it('are asked for once for all watches, now and later', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    answers.push(await ask());

    expect(asked).toEqual([[12, 13]]);
    for (const answer of answers) {
      expect([...answer.keys()]).toEqual([12, 13]);
      expect(answer.get(12)).toMatchObject({ metadata: { name: 'w12' }, spec: { size: 0 } });
    }
  });

  it('are asked for by the change, however many others a page has', async () => {
    await ask();
    commit(14, OURS, 'MODIFIED');
    await seen(4);
    expect([...(await ask()).keys()]).toEqual([12, 13, 14]);

    expect(asked).toEqual([[12, 13], [14]]);
  });

  it('are asked for again by each who comes after a statement that failed', async () => {
    failure = new Error('The database is away');
    const answers = await Promise.allSettled([ask(), ask()]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failure = undefined;

    expect([...(await ask()).keys()]).toEqual([12, 13]);
  });

  it('fail whoever waits for one that could not be had, also while another is still asked for', async () => {
    let answer: () => void = () => undefined;
    held = new Promise((resolve) => (answer = resolve));
    const first = ask();
    await setImmediate();
    held = undefined;
    commit(14, OURS, 'MODIFIED');
    await seen(4);
    failure = new Error('The database is away');
    const second = ask();
    const ended = expect(second).rejects.toThrow('The database is away');
    await setImmediate();
    answer();

    await ended;
    expect([...(await first).keys()]).toEqual([12, 13]);
  });

  it('are not asked for where a page has none', async () => {
    const { changes } = await tail.read(START, WIDGETS);
    expect((await tail.previousOf(changes.slice(0, 1))).size).toBe(0);
    expect(asked).toEqual([]);
  });
});
