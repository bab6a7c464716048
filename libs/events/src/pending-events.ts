import type { KubeObject } from '@crate/api';
import type { EventDraft } from '@crate/reconcile';
import { keyOfOccurrence, type Occurrence, type Reporter } from './event-object.js';
import { ObjectBudget } from './object-budget.js';
import { setBounded } from './set-bounded.js';
import { COMBINED_PREFIX, SimilarEvents } from './similar-events.js';

/** More than this many different events that wait to be written are forgotten, the oldest first. */
const MOST_PENDING = 2000;

/** What waits to be written, each event once however often it happened. Bounded. */
export class PendingEvents {
  private readonly waiting = new Map<string, Occurrence>();
  private readonly budget = new ObjectBudget();
  private readonly similar = new SimilarEvents();

  constructor(
    private readonly reporter: Reporter,
    private readonly onDropped: () => void,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  /** Notes that it happened once more. */
  add(about: KubeObject, draft: EventDraft, now: Date): void {
    const combined = this.similar.isOneOfMany(about, draft, now.getTime());
    const told = combined ? { ...draft, message: `${COMBINED_PREFIX}${draft.message}` } : draft;
    this.put({ about, draft: told, combined, count: 1, first: now, last: now });
  }

  /** Takes up to `most` that may be written now. */
  take(most: number, now: Date): readonly Occurrence[] {
    const taken: Occurrence[] = [];
    for (const [key, occurrence] of this.waiting) {
      if (taken.length >= most) break;
      if (!this.budget.take(occurrence.about.metadata.uid, now.getTime())) continue;
      this.waiting.delete(key);
      taken.push(occurrence);
    }
    return taken;
  }

  /** Puts back what could not be written, or adds it to what happened since. */
  put(occurrence: Occurrence): void {
    const { namespace, name } = keyOfOccurrence(occurrence, this.reporter);
    const key = `${namespace}/${name}`;
    const other = this.waiting.get(key);
    const dropped = setBounded(this.waiting, key, other ? together(other, occurrence) : occurrence, MOST_PENDING);
    if (dropped) this.onDropped();
  }
}

function together(one: Occurrence, other: Occurrence): Occurrence {
  const [earlier, later] = one.last <= other.last ? [one, other] : [other, one];
  return { ...later, count: one.count + other.count, first: earlier.first < later.first ? earlier.first : later.first };
}
