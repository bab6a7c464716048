import { isDeepStrictEqual } from 'node:util';
import type { CloudObject } from './cloud-journal.js';
import type { CloudChange } from './kept-cloud.js';
import type { RunRow } from './records.js';
import type { World } from './world.js';

const OWNER = 'crate.dev/infrastructure-uid';
/** Changed in passing, where an address is given to a machine or taken from it. */
const OF_ADDRESSES = ['public_ip', 'public_dns'];
const ADDRESS = 'aws_eip';

/** What came of an object of the cloud, all in all. */
export interface Outcome {
  readonly did: 'created' | 'changed' | 'removed';
  readonly type: string;
  readonly id: string;
}

type Known = Pick<World, 'cloudChanges' | 'keptRuns' | 'meddled'>;

/**
 * What came of the objects of the cloud by these runs of one owner, and by nothing else that is known: not what the chaos itself touched and
 * what went with it, nor what may be the work of a run before them that was broken off, as calls of such a run may still be on their way. What was
 * made and removed again is nothing.
 */
export function outcomesOf(world: Known, runs: readonly RunRow[]): readonly Outcome[] {
  if (isAfterBrokenOff(world.keptRuns, runs)) return [];
  const objects = new Map<string, { first: CloudChange; last: CloudChange }>();
  for (const change of world.cloudChanges) {
    const object = objectOf(change);
    if (!isBy(runs, change, world.keptRuns) || isMeddled(world.meddled, object)) continue;
    const key = `${object.type} ${object.id}`;
    objects.set(key, { first: objects.get(key)?.first ?? change, last: change });
  }
  return [...objects.values()].flatMap(({ first, last }) => outcomeOf(first.before, last.after));
}

function outcomeOf(before: CloudObject | undefined, after: CloudObject | undefined): readonly Outcome[] {
  const object = after ?? before;
  if (!object || isDeepStrictEqual(substanceOf(before), substanceOf(after))) return [];
  const { type, id } = object;
  return [{ did: before ? (after ? 'changed' : 'removed') : 'created', type, id }];
}

/** What of an object is there because somebody states it. */
function substanceOf(object: CloudObject | undefined): unknown {
  if (!object) return undefined;
  if (object.type === ADDRESS) return object.id;
  const attributes = Object.entries(object.attributes).filter(([name]) => !OF_ADDRESSES.includes(name));
  return { tags: object.tags, attributes };
}

/** Whether a change was made while one of these runs went on, and no other of its owner. */
function isBy(runs: readonly RunRow[], change: CloudChange, all: readonly RunRow[]): boolean {
  const owner = objectOf(change).tags[OWNER];
  const meanwhile = all.filter((run) => run.owner === owner && wasAtWork(run, change));
  return meanwhile.length > 0 && meanwhile.every(({ id }) => runs.some((run) => run.id === id));
}

function wasAtWork({ started_at: from, ended_at: to }: RunRow, { since, until }: CloudChange): boolean {
  return from.getTime() <= until && (to?.getTime() ?? Infinity) >= since;
}

function isAfterBrokenOff(all: readonly RunRow[], [first]: readonly RunRow[]): boolean {
  if (!first) return false;
  const before = all.filter(({ owner, started_at: at }) => owner === first.owner && at < first.started_at);
  return (
    before.toSorted((left, right) => left.started_at.getTime() - right.started_at.getTime()).at(-1)?.state ===
    'interrupted'
  );
}

/** What depends on something goes with it. */
function isMeddled(meddled: readonly string[], { id, attributes }: CloudObject): boolean {
  return [id, ...Object.values(attributes)].some((value) => typeof value === 'string' && meddled.includes(value));
}

function objectOf({ before, after }: CloudChange): CloudObject {
  const object = after ?? before;
  if (!object) throw new Error('Nothing was done to nothing');
  return object;
}
