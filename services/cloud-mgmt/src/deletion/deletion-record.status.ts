import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  mergeConditions,
  toTimestamp,
  withoutUndefined,
  type AbandonedResource,
  type ConditionFact,
  type DeletionRecord,
  type DeletionRecordStatus,
  type WatchedResource,
} from '@crate/api';
import { nameSome } from '@crate/reconcile';

/** What a look at the account found, or why nobody could look. */
export type Sighting = readonly AbandonedResource[] | { readonly why: string };

/** What became of what was left behind. Pure; a look that finds the same gives the same status. */
export function deletionRecordStatus(record: DeletionRecord, seen: Sighting, now: Date): DeletionRecordStatus {
  const { status: before, metadata } = record;
  const watched = 'why' in seen ? (before?.watched ?? unseen(record)) : watchedOf(record, seen, now);
  const present = watched?.filter(({ state }) => state === 'Present');
  const fact = clean(present, seen);
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    conditions: mergeConditions(before?.conditions, [fact], { generation, now }),
    ...(watched ? { watched, present: present?.length } : {}),
    ...(fact.status !== 'Unknown' ? {} : { unseenSince: before?.unseenSince ?? toTimestamp(now) }),
  };
}

/** What was there at the look before, and is gone now. Pure. */
export function newlyGone(before: DeletionRecord, after: DeletionRecord): readonly WatchedResource[] {
  const was = new Set((before.status?.watched ?? []).filter(({ state }) => state === 'Gone').map(({ name }) => name));
  return (after.status?.watched ?? []).filter(({ state, name }) => state === 'Gone' && !was.has(name));
}

/** In a sentence. */
export function namesOf(watched: readonly WatchedResource[]): string {
  return nameSome(watched.map(({ kind, name }) => `${kind} ${name}`));
}

/** What was named, and what is seen besides: where nobody could look, nobody could name what the cluster itself had made. */
function watchedOf({ spec, status }: DeletionRecord, seen: readonly AbandonedResource[], now: Date): WatchedResource[] {
  const { abandoned, keptVolumes = [] } = spec.proof;
  const named = new Set(abandoned.map(({ name }) => name));
  const present = byKey(seen.filter(({ name }) => named.has(name) || !keptVolumes.includes(name)));
  const known = byKey(status?.watched ?? []);
  const all = byKey<AbandonedResource>([...abandoned, ...known.values(), ...present.values()]);
  return [...all].map(([key, { kind, name, account, region }]) => {
    const one = { kind, name, ...withoutUndefined({ account, region }) };
    if (present.has(key)) return { ...one, state: 'Present' };
    return { ...one, state: 'Gone', goneAt: known.get(key)?.goneAt ?? toTimestamp(now) };
  });
}

/** Undefined where nothing is named, and nobody has looked. */
function unseen({ spec: { proof } }: DeletionRecord): WatchedResource[] | undefined {
  if (proof.abandoned.length === 0 && proof.inventoryEmptyAt === undefined) return undefined;
  return proof.abandoned.map((one) => ({ ...one, state: 'Present' }));
}

function byKey<T extends AbandonedResource>(resources: readonly T[]): ReadonlyMap<string, T> {
  return new Map(resources.map((one) => [`${one.kind}/${one.name}`, one]));
}

function clean(present: readonly WatchedResource[] | undefined, seen: Sighting): ConditionFact {
  if (!present) {
    const why = 'why' in seen ? `: ${seen.why}` : '';
    const text = `Nobody could look yet whether something is left in the account${why}`;
    return conditionUnknown('Clean', 'NotSeen', conditionMessage(text));
  }
  if (present.length === 0) return conditionTrue('Clean', 'NothingLeft');
  const names = namesOf(present);
  if ('why' in seen) {
    const text = `Nobody can look in the account, where was left behind: ${names}; ${seen.why}`;
    return conditionUnknown('Clean', 'NotSeen', conditionMessage(text));
  }
  return conditionFalse('Clean', 'LeftBehind', `Left behind by force: ${names}`);
}
