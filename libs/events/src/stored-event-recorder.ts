import { CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL, withoutUndefined, type KubeObject } from '@crate/api';
import { hasCode } from '@crate/errors';
import { EventRecorder, type EventDraft } from '@crate/reconcile';
import type { ResourceStore } from '@crate/resource-store';
import { currentContext, type Counter, type Logger, type Metrics } from '@crate/telemetry';
import { happenedAgain, keyOfOccurrence, newEvent, type Occurrence, type Reporter } from './event-object.js';
import { PendingEvents } from './pending-events.js';
import { setBounded } from './set-bounded.js';

export interface StoredEventRecorderOptions {
  readonly store: ResourceStore;
  readonly reporter: Reporter;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** What happens at once is written together. */
const GATHER_MS = 50;
/** After a write failed, and for what is over its budget. */
const LOOK_AGAIN_MS = 5_000;
const AT_A_TIME = 16;
const ATTEMPTS = 4;
/** Events that are known to be stored; one that is forgotten costs a refused write more. */
const MOST_KNOWN = 5_000;

/**
 * Writes events to a store apart from everything else the process does. What happens again is counted, what differs only in
 * words is told together, and an object that tells without end is slowed down.
 */
export class StoredEventRecorder extends EventRecorder {
  private readonly pending: PendingEvents;
  private readonly dropped: Counter;
  private readonly known = new Map<string, true>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly options: StoredEventRecorderOptions) {
    super();
    this.dropped = options.metrics.counter({
      name: 'crate_events_dropped_total',
      help: 'Events that were never written: too many at once, or the store was away.',
    });
    this.pending = new PendingEvents(options.reporter, () => this.dropped.add());
  }

  override record(about: KubeObject, event: EventDraft): void {
    if (this.isClosed) return;
    const { traceId } = currentContext();
    this.pending.add(about, traceId === undefined ? event : { traceId, ...event }, this.now());
    this.schedule(GATHER_MS);
  }

  /** Writes what is pending and takes no more. Never throws. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  }

  private schedule(afterMs: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.writing = this.writing.then(() => this.write());
    }, afterMs).unref();
  }

  private async write(): Promise<void> {
    let isAway = false;
    for (;;) {
      const batch: readonly Occurrence[] = isAway ? [] : this.pending.take(AT_A_TIME, this.now());
      if (batch.length === 0) break;
      const results = await Promise.allSettled(batch.map((occurrence) => this.store(occurrence)));
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        isAway = this.putBack(batch[index] as Occurrence, result.reason) || isAway;
      }
    }
    if (this.pending.size > 0 && !this.isClosed) this.schedule(LOOK_AGAIN_MS);
  }

  /** False when the event itself is to blame, which then is dropped. */
  private putBack(occurrence: Occurrence, error: unknown): boolean {
    const { logger } = this.options;
    const isStoreAway = hasCode(error, 'Unavailable', 'Timeout', 'Conflict', 'AlreadyExists');
    if (isStoreAway) {
      logger.debug('Recording an event failed, trying again', { error });
      this.pending.put(occurrence);
    } else {
      logger.warn('Dropping an event that cannot be stored', { error, reason: occurrence.draft.reason });
      this.dropped.add();
    }
    return isStoreAway;
  }

  private async store(occurrence: Occurrence): Promise<void> {
    const { store, reporter } = this.options;
    const key = keyOfOccurrence(occurrence, reporter);
    const id = `${key.namespace}/${key.name}`;
    for (let attempt = 1; ; attempt++) {
      // Most of what is told happens for the first time, and that it did not is found out when it is stored.
      const stored = attempt > 1 || this.known.has(id) ? await store.find(key) : undefined;
      try {
        await (stored
          ? store.update(happenedAgain(stored, occurrence))
          : store.create(newEvent(occurrence, reporter, labelsOf(occurrence))));
        setBounded(this.known, id, true, MOST_KNOWN);
        return;
      } catch (error) {
        // Another process told the same at this moment.
        if (attempt >= ATTEMPTS || !hasCode(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error;
      }
    }
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }
}

/** Ties what happens to a child to the Cluster that it was made for. */
function labelsOf({ about, draft }: Occurrence): Record<string, string> {
  if (draft.isInternal) return {};
  const entries = [CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL].map(
    (label) => [label, about.metadata.labels?.[label]] as const,
  );
  return withoutUndefined(Object.fromEntries(entries));
}
