import type { KubeObject, WatchEvent } from '@crate/api';
import type { CallContext, ResourceApi, ResourceType, WatchOptions } from '@crate/resource-client';
import { untilAborted } from '../until-aborted.js';

/** Events that follow the first one this closely go into the same answer. */
const GATHER_MS = 5;

/** What the watch may take after its time to say where it has come to. */
const LAST_WORD_MS = 1000;

/** The answer to one long poll. */
export interface PollAnswer {
  readonly events: readonly WatchEvent[];
  /** Where to go on from; undefined when the owner knows nothing newer. */
  readonly resourceVersion?: string;
  /** The newest bookmark, when nothing else came after it. */
  readonly bookmark?: KubeObject;
}

export interface PollOptions {
  readonly watch: Omit<WatchOptions, 'resourceVersion'> & { readonly resourceVersion: string };
  readonly waitMs: number;
  /** Size of the events in JSON; one event always fits in, whatever its size. */
  readonly maxBytes: number;
}

/**
 * Changes after a revision: at once when there are any, or else as soon as one comes, or none after `waitMs`.
 * Keeps nothing between two calls, so that any replica can answer the next one.
 */
export async function pollChanges(
  api: ResourceApi,
  type: ResourceType,
  options: PollOptions,
  context: CallContext,
): Promise<PollAnswer> {
  const over = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, over.signal]) : over.signal;
  const watch = { ...options.watch, allowBookmarks: true, timeoutMs: options.waitMs };
  const changes = api.watch(type, watch, { ...context, signal })[Symbol.asyncIterator]();
  const batch = new Batch(options.maxBytes);
  try {
    for (let patience = options.waitMs + LAST_WORD_MS; !batch.isFull; patience = batch.isEmpty ? patience : GATHER_MS) {
      const next = await within(changes.next(), patience, context.signal);
      if (!next || next.done) break;
      batch.add(next.value);
    }
    return batch.answer();
  } finally {
    over.abort();
    await changes.return?.();
  }
}

class Batch {
  private readonly events: WatchEvent[] = [];
  private bytes = 0;
  private revision: string | undefined;
  private bookmark: KubeObject | undefined;

  constructor(private readonly maxBytes: number) {}

  get isFull(): boolean {
    return this.bytes >= this.maxBytes;
  }

  get isEmpty(): boolean {
    return this.events.length === 0;
  }

  add(event: WatchEvent): void {
    const size = event.type === 'BOOKMARK' ? 0 : Buffer.byteLength(JSON.stringify(event));
    if (!this.isEmpty && this.bytes + size > this.maxBytes) {
      // Left for the next poll, which starts after the last event that fitted in.
      this.bytes = this.maxBytes;
      return;
    }
    this.bytes += size;
    this.revision = event.object.metadata.resourceVersion;
    this.bookmark = event.type === 'BOOKMARK' ? event.object : undefined;
    if (event.type !== 'BOOKMARK') this.events.push(event);
  }

  answer(): PollAnswer {
    return {
      events: this.events,
      ...(this.revision === undefined ? {} : { resourceVersion: this.revision }),
      ...(this.bookmark === undefined ? {} : { bookmark: this.bookmark }),
    };
  }
}

/** Undefined when the time is over or the signal aborts first. */
async function within<T>(work: Promise<T>, timeMs: number, signal: AbortSignal | undefined): Promise<T | undefined> {
  const end = AbortSignal.any([AbortSignal.timeout(timeMs), ...(signal ? [signal] : [])]);
  try {
    return await untilAborted(work, end);
  } catch (error) {
    if (end.aborted) return undefined;
    throw error;
  }
}
