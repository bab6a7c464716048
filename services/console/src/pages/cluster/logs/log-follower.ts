import { ApiError } from '../../../api/api-error.js';
import { apiFetch } from '../../../api/http.js';
import { parseLogLine, type LogLine } from './log-line.js';

/** A log as far as it was read; a new object whenever something came. */
export interface LogSnapshot {
  /** complete: nothing is under way that would print more. */
  readonly state: 'loading' | 'following' | 'complete' | 'reconnecting' | 'failed';
  readonly lines: readonly LogLine[];
  readonly error?: ApiError;
}

const MOST_LINES = 50_000;
const GATHER_MS = 100;
const RETRY_MS = 2_000;

/** Follows a log over all runs, and goes on where it was after a break. */
export class LogFollower {
  private snapshot: LogSnapshot = { state: 'loading', lines: [] };
  private lines: LogLine[] = [];
  private readonly listeners = new Set<() => void>();
  private abort: AbortController | undefined;
  private gathering: ReturnType<typeof setTimeout> | undefined;

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
    const abort = new AbortController();
    this.abort = abort;
    void this.follow(abort.signal);
  };

  private stop(): void {
    this.abort?.abort();
    this.abort = undefined;
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.read(signal);
        this.abort = undefined;
        return this.publish('complete');
      } catch (error) {
        if (signal.aborted) return undefined;
        const cause = error instanceof ApiError ? error : new ApiError(0, 'Unreachable', String(error));
        if (!cause.isPassing) {
          this.abort = undefined;
          return this.publish('failed', cause);
        }
        this.publish('reconnecting', cause);
        await new Promise((resolve) => setTimeout(resolve, cause.retryAfterMs ?? RETRY_MS));
      }
    }
    return undefined;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const last = this.lines.at(-1)?.time ?? '';
    const query = new URLSearchParams({
      follow: 'true',
      timestamps: 'true',
      ...(last === '' ? {} : { sinceTime: last }),
    });
    const { body } = await apiFetch(`${this.path}?${query.toString()}`, { accept: 'text/plain', signal });
    if (!body) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value = '' } = await reader.read();
      const texts = (rest + value).split('\n');
      rest = done ? '' : (texts.pop() ?? '');
      // What was the last before the break comes again.
      this.add(
        texts
          .filter((text) => text !== '')
          .map(parseLogLine)
          .filter(({ time }) => time === '' || time > last),
      );
      if (done) return;
    }
  }

  private add(lines: readonly LogLine[]): void {
    this.lines.push(...lines);
    if (this.lines.length > MOST_LINES) this.lines.splice(0, this.lines.length - MOST_LINES);
    // A burst is drawn once.
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.publish('following');
    }, GATHER_MS);
  }

  private publish(state: LogSnapshot['state'], error?: ApiError): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    this.snapshot = { state, lines: [...this.lines], ...(error === undefined ? {} : { error }) };
    for (const listener of this.listeners) listener();
  }
}
