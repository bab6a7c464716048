import {
  conditionFalse,
  conditionTrue,
  deletionForcedOf,
  findCondition,
  toTimestamp,
  type AbandonedResource,
  type Blocker,
  type Condition,
  type ConditionFact,
  type DeletionForced,
  type DeletionStatus,
  type Failure,
  type KubeObject,
} from '@crate/api';
import type { EventDraft, EventRecorder } from './event-recorder.js';
import { nameSome } from './status-events.js';

/** What a pass found in the way of a deletion; since when is known from earlier passes. */
export type FoundBlocker = Omit<Blocker, 'since'> & Partial<Pick<Blocker, 'since'>>;

/** What a pass of a tear-down came to know. */
export interface DeletionFindings {
  readonly blockers: readonly FoundBlocker[];
  /** Given up in this pass. */
  readonly abandoned?: readonly AbandonedResource[];
}

/** An object whose status tells how its deletion stands. */
export type Deletable = KubeObject & {
  status?: { deletion?: DeletionStatus | undefined; conditions?: Condition[] | undefined } | undefined;
};

/** Reason of the condition `Deleting` while something has been in the way for too long. */
export const DELETION_BLOCKED = 'DeletionBlocked';
/** Reason of the condition `Deleting` as long as nothing has been in the way for too long. */
const DELETION_REQUESTED = 'DeletionRequested';

/** What a status is worked out with beside what a pass found. */
export interface StatusContext {
  readonly now: Date;
  readonly traceId: string;
  /** From when on it is worth a warning that something is in the way of a deletion. */
  readonly warnAfterMs: number;
}

/** The condition `Deleting`, with `text` for what is being deleted. Pure. */
export function deletingFact(
  { metadata }: KubeObject,
  deletion: DeletionStatus | undefined,
  text: string,
  { now, warnAfterMs }: Pick<StatusContext, 'now' | 'warnAfterMs'>,
): ConditionFact {
  if (metadata.deletionTimestamp === undefined) return conditionFalse('Deleting', 'NotDeleting', '');
  const isBlocked = isDeletionBlocked(deletion, warnAfterMs, now);
  return conditionTrue('Deleting', isBlocked ? DELETION_BLOCKED : DELETION_REQUESTED, text);
}

/** How the deletion stands after a pass; undefined for what is not being deleted. Pure; equal findings give equal status. */
export function deletionStatusOf(object: Deletable, findings: DeletionFindings, now: Date): DeletionStatus | undefined {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const before = object.status?.deletion;
  const forced = deletionForcedOf(object);
  const abandoned = mergeAbandoned(before?.abandoned ?? [], findings.abandoned ?? []);
  return {
    requestedAt: deletionTimestamp,
    blockers: datedBlockers(findings.blockers, before?.blockers ?? [], now),
    ...(forced ? { forced } : {}),
    ...(abandoned.length > 0 ? { abandoned } : {}),
  };
}

/** What made a pass fail is in the way, too; nothing without a failure. */
export function failureBlocker({ kind, metadata }: KubeObject, failure: Failure | undefined): readonly FoundBlocker[] {
  if (!failure) return [];
  const { code: reason, message, remedy } = failure;
  return [{ kind, name: metadata.name, reason, message, ...(remedy === undefined ? {} : { remedy }) }];
}

/** Blockers with the time since when each is in the way: what was there before keeps it. */
export function datedBlockers(
  found: readonly FoundBlocker[],
  before: readonly Pick<Blocker, 'kind' | 'name' | 'since'>[],
  now: Date,
): Blocker[] {
  const since = new Map(before.map((blocker) => [nameOf(blocker), blocker.since]));
  const dated = found.map((blocker) => ({
    ...blocker,
    since: blocker.since ?? since.get(nameOf(blocker)) ?? toTimestamp(now),
  }));
  const unique = new Map(dated.map((blocker) => [nameOf(blocker), blocker]));
  return [...unique.values()].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

/** Whether something has been in the way for longer than people should wait without being told. */
export function isDeletionBlocked(status: DeletionStatus | undefined, patienceMs: number, now: Date): boolean {
  return (status?.blockers ?? []).some(({ since }) => now.getTime() - Date.parse(since) >= patienceMs);
}

/** Milliseconds since the first of these came in the way; 0 when none is known from an earlier pass. */
export function blockedForMs(blockers: readonly Blocker[], now: Date): number {
  const first = Math.min(...blockers.map(({ since }) => Date.parse(since)));
  return Number.isFinite(first) ? Math.max(0, now.getTime() - first) : 0;
}

/** What a pass did to a Cluster's part that is being deleted. */
export interface DeletionPass {
  readonly before: Deletable;
  readonly after: Deletable;
  readonly traceId: string;
  /** The Cluster stays, so that it does not tell that the deletion of its part is blocked. */
  readonly isAlone?: boolean;
}

/**
 * Records what a pass changed in the way the deletion of a Cluster's part stands; nothing when it changed nothing. That it was
 * forced, and that it is blocked, is told by the Cluster where that is being deleted itself.
 */
export function recordDeletion(
  recorder: EventRecorder,
  { before, after, traceId, isAlone = false }: DeletionPass,
): void {
  const { deletion } = after.status ?? {};
  const news = [...deletionEvents(before.status?.deletion, deletion)];
  const blocked = becameBlocked(before, after);
  if (blocked) news.push(isAlone ? blocked : { ...blocked, isInternal: true });
  for (const draft of news) recorder.record(after, { ...draft, traceId });
}

/** What people are told of a deletion: a blocker that is new, and one that was given up. */
export function deletionEvents(
  before: DeletionStatus | undefined,
  after: DeletionStatus | undefined,
): readonly EventDraft[] {
  if (!after) return [];
  const known = new Set((before?.blockers ?? []).map(nameOf));
  const given = new Set((before?.abandoned ?? []).map(nameOf));
  const appeared = after.blockers.filter((blocker) => !known.has(nameOf(blocker)));
  const abandoned = (after.abandoned ?? []).filter((resource) => !given.has(nameOf(resource)));
  return [...appeared.map(appearedEvent), ...(abandoned.length > 0 ? [abandonedEvent(abandoned, after.forced)] : [])];
}

/** What is told when something has just been in the way for too long; undefined: nothing new. */
export function becameBlocked(before: Deletable, after: Deletable): EventDraft | undefined {
  const { deletion } = after.status ?? {};
  return deletion && isShownBlocked(after) && !isShownBlocked(before) ? blockedEvent(deletion) : undefined;
}

function blockedEvent({ blockers }: DeletionStatus): EventDraft {
  const [oldest] = [...blockers].sort((left, right) => left.since.localeCompare(right.since));
  if (!oldest) return { type: 'Warning', reason: DELETION_BLOCKED, message: 'The deletion does not go on' };
  const remedy = oldest.remedy === undefined ? '' : `; what to do: ${oldest.remedy}`;
  const message = `Since ${oldest.since} in the way of the deletion: ${nameOf(oldest)}: ${oldest.message}${remedy}`;
  return { type: 'Warning', reason: DELETION_BLOCKED, message };
}

/** Blockers in a sentence for a person. */
export function blockersText(blockers: readonly FoundBlocker[]): string {
  return blockers.length === 0 ? 'Being removed' : `Waiting for ${nameSome(blockers.map(nameOf))}`;
}

function isShownBlocked({ status }: Deletable): boolean {
  return findCondition(status?.conditions, 'Deleting')?.reason === DELETION_BLOCKED;
}

function mergeAbandoned(before: readonly AbandonedResource[], now: readonly AbandonedResource[]): AbandonedResource[] {
  const all = new Map([...before, ...now].map((resource) => [nameOf(resource), resource]));
  return [...all.values()].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

function appearedEvent(blocker: Blocker): EventDraft {
  const message = `In the way of the deletion: ${nameOf(blocker)}: ${blocker.message}`;
  return { type: 'Normal', reason: 'DeletionWaiting', message };
}

function abandonedEvent(abandoned: readonly AbandonedResource[], forced: DeletionForced | undefined): EventDraft {
  const who = forced ? `, because ${forced.by} said so: ${forced.reason}` : '';
  return { type: 'Warning', reason: 'Abandoned', message: `Left behind: ${nameSome(abandoned.map(nameOf))}${who}` };
}

function nameOf({ kind, name }: Pick<Blocker, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}
