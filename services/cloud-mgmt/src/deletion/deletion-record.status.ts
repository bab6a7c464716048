import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  mergeConditions,
  toTimestamp,
  type ConditionFact,
  type DeletionRecord,
  type DeletionRecordStatus,
  type WatchedResource,
} from '@crate/api';
import { nameSome } from '@crate/reconcile';

/** What a look at the account found: keys of what is there, or why nobody could look. */
export type Sighting = ReadonlySet<string> | { readonly why: string };

/** Names one resource as a listing does. */
export function sightingKey(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** What became of what was left behind. Pure; a look that finds the same gives the same status. */
export function deletionRecordStatus(record: DeletionRecord, seen: Sighting, now: Date): DeletionRecordStatus {
  const { status: before, metadata } = record;
  const isUnseen = 'why' in seen;
  const watched = isUnseen ? (before?.watched ?? unseen(record)) : watchedOf(record, seen, now);
  const present = watched.filter(({ state }) => state === 'Present');
  const facts = [clean(present, seen)];
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    conditions: mergeConditions(before?.conditions, facts, { generation, now }),
    ...(watched.length > 0 ? { watched } : {}),
    present: present.length,
    ...(!isUnseen || present.length === 0 ? {} : { unseenSince: before?.unseenSince ?? toTimestamp(now) }),
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

function watchedOf(record: DeletionRecord, seen: ReadonlySet<string>, now: Date): WatchedResource[] {
  const known = new Map((record.status?.watched ?? []).map((one) => [sightingKey(one.kind, one.name), one]));
  return record.spec.proof.abandoned.map((one) => {
    const key = sightingKey(one.kind, one.name);
    if (seen.has(key)) return { ...one, state: 'Present' };
    return { ...one, state: 'Gone', goneAt: known.get(key)?.goneAt ?? toTimestamp(now) };
  });
}

function unseen({ spec }: DeletionRecord): WatchedResource[] {
  return spec.proof.abandoned.map((one) => ({ ...one, state: 'Present' }));
}

function clean(present: readonly WatchedResource[], seen: Sighting): ConditionFact {
  if (present.length === 0) return conditionTrue('Clean', 'NothingLeft');
  const names = namesOf(present);
  if ('why' in seen) {
    const text = `Nobody can look in the account, where was left behind: ${names}; ${seen.why}`;
    return conditionUnknown('Clean', 'NotSeen', conditionMessage(text));
  }
  return conditionFalse('Clean', 'LeftBehind', `Left behind by force: ${names}`);
}
