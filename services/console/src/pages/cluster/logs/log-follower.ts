import { LogReach } from '@crate/api';
import { ApiError, unreachable } from '../../../api/api-error.js';
import { apiFetch } from '../../../api/http.js';
import { pause } from '../../../api/pause.js';
import { Silence } from '../../../api/silence.js';
import { parseLogLine, type LogLine } from './log-line.js';

/** A log as far as it was read; a new object whenever something came. */
export interface LogSnapshot {
  /** complete: nothing is under way that would print more. */
  readonly state: 'loading' | 'following' | 'complete' | 'reconnecting' | 'failed';
  readonly lines: readonly LogLine[];
  /** How many came before them, and are kept no more. */
  readonly dropped: number;
  readonly error?: ApiError;
}

const MOST_LINES = 50_000;
const GATHER_MS = 100;
const RETRY_MS = 2_000;
/** Work may begin of which the page hears nothing: what is complete is looked at again this often. */
const AGAIN_MS = 15_000;
/** Nothing for longer than that may be a dead connection, or a run that has nothing to say: asking anew tells. */
const SILENCE_MS = 60_000;

/** Follows a log over all runs, and goes on where it was after a break. */
export class LogFollower {
  private snapshot: LogSnapshot = { state: 'loading', lines: [], dropped: 0 };
  private lines: LogLine[] = [];
  private dropped = 0;
  private readonly reach = new LogReach();
  private readonly listeners = new Set<() => void>();
  private abort: AbortController | undefined;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  /** Whether lines came that nobody was told of. */
  private hasMore = false;

  constructor(private readonly path: string) {}

  readonly current = (): LogSnapshot => this.snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.resume();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  };

  /** Reads on, as when work began again; does nothing while it follows. */
  readonly resume = (): void => {
    if (this.abort || this.listeners.size === 0) return;
    clearTimeout(this.again);
    const abort = new AbortController();
    this.abort = abort;
    void this.follow(abort.signal);
  };

  private stop(): void {
    this.abort?.abort();
    this.abort = undefined;
    clearTimeout(this.gathering);
    clearTimeout(this.again);
    this.gathering = undefined;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!(await this.read(signal))) continue;
        this.abort = undefined;
        this.again = setTimeout(this.resume, AGAIN_MS);
        return this.publish('complete');
      } catch (error) {
        if (signal.aborted) return undefined;
        const cause = error instanceof ApiError ? error : unreachable(error);
        if (!this.isPassing(cause)) {
          this.abort = undefined;
          return this.publish('failed', cause);
        }
        this.publish('reconnecting', cause);
        await pause(cause.retryAfterMs ?? RETRY_MS, signal);
      }
    }
    return undefined;
  }

  /** What was read once is there again soon: after a restart the platform learns by and by what it serves. */
  private isPassing(cause: ApiError): boolean {
    return cause.isPassing || (cause.status === 404 && this.lines.length > 0);
  }

  /** One request, until the log ends; false when it fell silent instead. */
  private async read(signal: AbortSignal): Promise<boolean> {
    const silence = new Silence(signal, SILENCE_MS);
    let isAnswered = false;
    try {
      const { body } = await apiFetch(this.url(), { accept: 'text/plain', signal: silence.signal });
      isAnswered = true;
      if (body) await this.take(body, silence.heard);
      return true;
    } catch (error) {
      if (isAnswered && silence.wasTooLong) return false;
      throw error;
    } finally {
      silence.close();
    }
  }

  private url(): string {
    const since = this.reach.since();
    const query = new URLSearchParams({
      follow: 'true',
      timestamps: 'true',
      ...(since === undefined ? {} : { sinceTime: since }),
    });
    return `${this.path}?${query.toString()}`;
  }

  private async take(body: ReadableStream<Uint8Array<ArrayBuffer>>, onHeard: () => void): Promise<void> {
    const isNew = this.reach.beyond();
    onHeard();
    this.add([]);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value = '' } = await reader.read();
      onHeard();
      const texts = (rest + value).split('\n');
      rest = done ? '' : (texts.pop() ?? '');
      // What came just before the break comes again.
      this.add(
        texts
          .filter((text) => text !== '')
          .map(parseLogLine)
          .filter(isNew),
      );
      if (done) return;
    }
  }

  private add(lines: readonly LogLine[]): void {
    this.lines.push(...lines);
    for (const line of lines) this.reach.add(line);
    this.hasMore ||= lines.length > 0;
    this.dropped += this.lines.splice(0, Math.max(0, this.lines.length - MOST_LINES)).length;
    // A burst is drawn once.
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.publish('following');
    }, GATHER_MS);
  }

  private publish(state: LogSnapshot['state'], error?: ApiError): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (!this.hasMore && state === this.snapshot.state && error === undefined) return;
    this.hasMore = false;
    this.snapshot = { state, lines: [...this.lines], dropped: this.dropped, ...(error === undefined ? {} : { error }) };
    for (const listener of this.listeners) listener();
  }
}
