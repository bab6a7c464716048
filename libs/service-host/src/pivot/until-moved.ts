import type { WatchEvent } from '@crate/api';

/** What a watch has not been told for so long after the move is not there: the log has been at rest since before. */
const QUIET_MS = 1_000;

/** A watch that is begun at once and ends when its signal aborts. */
export type OpenWatch = (signal: AbortSignal) => AsyncIterable<WatchEvent>;

export interface MovedWatchOptions {
  /** Aborted once the installation has moved, with the refusal as its reason. */
  readonly moved: AbortSignal;
  /** Of whoever watches. */
  readonly signal?: AbortSignal | undefined;
  /** Default: 1,000. */
  readonly quietMs?: number;
}

/**
 * The watch, which fails with the refusal once the installation has moved: after it has been told all that was left in the log. Its reader goes on
 * at the new address behind what it was told last, where the log is the same.
 */
export function untilMoved(open: OpenWatch, options: MovedWatchOptions): AsyncIterable<WatchEvent> {
  const ending = new Ending(options);
  return eventsUntil(ending, open(ending.signal), options);
}

async function* eventsUntil(
  ending: Ending,
  events: AsyncIterable<WatchEvent>,
  { moved, signal }: MovedWatchOptions,
): AsyncGenerator<WatchEvent> {
  const iterator = events[Symbol.asyncIterator]();
  ending.begin();
  try {
    for (;;) {
      const next = await ending.whileWaiting(iterator.next());
      if (next.done === true) break;
      yield next.value;
    }
  } catch (error) {
    if (!moved.aborted) throw error;
  } finally {
    ending.close();
    await iterator.return?.();
  }
  if (moved.aborted && signal?.aborted !== true) throw moved.reason;
}

/** Ends a watch once nothing comes any more after the move. Time that its reader takes does not count. */
class Ending {
  private readonly over = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private isWaiting = false;
  private readonly onMoved = (): void => this.startTimer();

  constructor(private readonly options: MovedWatchOptions) {}

  get signal(): AbortSignal {
    const { signal } = this.options;
    return signal ? AbortSignal.any([signal, this.over.signal]) : this.over.signal;
  }

  begin(): void {
    this.options.moved.addEventListener('abort', this.onMoved, { once: true });
  }

  async whileWaiting<T>(next: Promise<T>): Promise<T> {
    this.isWaiting = true;
    this.startTimer();
    try {
      return await next;
    } finally {
      this.isWaiting = false;
      clearTimeout(this.timer);
    }
  }

  close(): void {
    this.options.moved.removeEventListener('abort', this.onMoved);
    clearTimeout(this.timer);
    this.over.abort();
  }

  private startTimer(): void {
    if (!this.isWaiting || !this.options.moved.aborted) return;
    this.timer = setTimeout(() => this.over.abort(), this.options.quietMs ?? QUIET_MS);
  }
}
