import { setTimeout as delay } from 'node:timers/promises';
import type { KindDefinition, KubeObject, WatchEvent } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { ResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';

const PAGE = 500;
const BOOKMARK_MS = 500;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often the store is asked where it is. */
const PULSE_MS = 2_000;
/** A watch that stands still for so long, and has not come to where the store was before that, has lost its way. */
const LOST_AFTER_MS = 15_000;

/** Takes what a collection holds. */
export interface CollectionSink {
  /** Everything is told from here on. */
  begin(): void;
  take(object: KubeObject): void;
  /** That was everything: what was not told between is gone. */
  end(): void;
  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  /** All up to the revision was told, and the store was there at this time, by `uptime`. */
  reached(revision: string, provenAtMs: number | undefined): void;
}

export interface CollectionFollowerOptions {
  readonly kind: Pick<KindDefinition, 'group' | 'kind'>;
  readonly store: Pick<ResourceStore, 'list' | 'watch' | 'currentRevision' | 'notify'>;
  readonly sink: CollectionSink;
  readonly logger: Logger;
  readonly uptime: () => number;
  /** Default: 2,000. */
  readonly pulseMs?: number;
}

/**
 * Tells everything that a collection of this service's own store holds, then every change, for ever. Hints may be lost: the store is
 * asked where it is, and a watch that does not get there begins anew with a list.
 */
export class CollectionFollower {
  private readonly stopping = new AbortController();
  private readonly collection: { readonly group: string; readonly kind: string };
  private running: readonly Promise<void>[] = [];
  private watching = new AbortController();
  /** Undefined: nothing is known, or what is known is not to be relied on. */
  private seen: bigint | undefined;
  /** Where the store was at times that the watch has yet to come to. */
  private pending: { readonly atMs: number; readonly revision: bigint }[] = [];
  /** When the watch last got any further. */
  private movedAtMs = 0;

  constructor(private readonly options: CollectionFollowerOptions) {
    const { group, kind } = options.kind;
    this.collection = { group, kind };
  }

  start(): void {
    this.running = [this.follow(), this.pulse()];
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.watching.abort();
    await Promise.all(this.running);
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const before = this.seen;
      await this.followOnce();
      pauseMs = this.seen === before ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** From where it was, or from the beginning when that is not known or the store has forgotten it. */
  private async followOnce(): Promise<void> {
    this.watching = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, this.watching.signal]);
    try {
      const from = this.seen ?? (await this.readAll());
      await this.watch(String(from), signal);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      if (hasCode(error, 'Gone')) this.seen = undefined;
      else this.options.logger.warn('Watching again after an error', { error, kind: this.collection.kind });
    }
  }

  private async readAll(): Promise<bigint> {
    const { store, sink, uptime } = this.options;
    const atMs = uptime();
    sink.begin();
    let list = await store.list(this.collection, { limit: PAGE });
    for (;;) {
      list.items.forEach((object) => sink.take(object));
      const { continue: next } = list.metadata;
      if (next === undefined || next === '' || this.stopping.signal.aborted) break;
      list = await store.list(this.collection, { limit: PAGE, continue: next });
    }
    this.stopping.signal.throwIfAborted();
    sink.end();
    this.pending = [];
    const revision = BigInt(list.metadata.resourceVersion);
    this.seen = revision;
    sink.reached(list.metadata.resourceVersion, atMs);
    return revision;
  }

  private async watch(fromRevision: string, signal: AbortSignal): Promise<void> {
    const { store, sink } = this.options;
    const events = store.watch(this.collection, { fromRevision, signal, bookmarkEveryMs: BOOKMARK_MS });
    for await (const { type, object } of events) {
      // Told in the middle of a change of course, it would be told of a state that is given up.
      if (signal.aborted) return;
      if (isChange(type)) sink.change(type, object);
      this.reached(BigInt(object.metadata.resourceVersion));
    }
  }

  /** What the store held at a time is known once the watch has come to the revision of that time. */
  private reached(revision: bigint): void {
    if (revision !== this.seen) this.movedAtMs = this.options.uptime();
    this.seen = revision;
    const proven = this.pending.filter((pulse) => pulse.revision <= revision);
    if (proven.length > 0) this.pending = this.pending.slice(proven.length);
    this.options.sink.reached(String(revision), proven.at(-1)?.atMs);
  }

  private async pulse(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await delay(this.options.pulseMs ?? PULSE_MS, undefined, { signal }).catch(() => undefined);
      await this.beat();
    }
  }

  private async beat(): Promise<void> {
    const { store, uptime, logger } = this.options;
    const atMs = uptime();
    // The watch may overtake the answer, which says where the store was when it was asked.
    const seenBefore = this.seen;
    try {
      const revision = BigInt(await store.currentRevision());
      if (seenBefore === undefined || this.seen === undefined) return;
      // A store that is behind what was seen was restored from a backup.
      if (revision < seenBefore || this.isLost(atMs)) return this.beginAnew();
      this.pending.push({ atMs, revision });
      this.reached(this.seen);
      store.notify();
    } catch (error) {
      logger.debug('Store does not say where it is', { error });
    }
  }

  /** Under load a watch may be late for long, but it moves: to read everything anew would only make it later. */
  private isLost(nowMs: number): boolean {
    const [oldest] = this.pending;
    return oldest !== undefined && nowMs - Math.max(oldest.atMs, this.movedAtMs) > LOST_AFTER_MS;
  }

  private beginAnew(): void {
    this.options.logger.warn('Reading a collection anew', { kind: this.collection.kind });
    this.seen = undefined;
    this.pending = [];
    this.watching.abort();
  }
}

function isChange(type: WatchEvent['type']): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type !== 'BOOKMARK';
}
