import { ApiError, unreachable } from './api-error.js';
import { apiFetch, apiJson } from './http.js';
import { jsonLines } from './json-lines.js';
import { pause } from './pause.js';
import { Silence } from './silence.js';

/** What every object has. */
export interface Identified {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** How current a list is. */
export type Liveness = 'loading' | 'live' | 'reconnecting' | 'failed';

/** A list as it is now; a new object whenever something changed. */
export interface LiveSnapshot<T> {
  readonly liveness: Liveness;
  readonly items: readonly T[];
  /** Why it is not live. */
  readonly error?: ApiError;
}

interface WatchLine<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T & { readonly code?: number; readonly message?: string; readonly reason?: string };
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const GATHER_MS = 50;
/** A watch that fails says so at once, and after it was taken: one that has said nothing for so long goes. */
const GOES_AFTER_MS = 1_000;
/** Asked of the server, which ends a watch by itself then. */
const WATCH_SECONDS = 280;
/** A quiet watch gets a bookmark each minute. Nothing for longer than that is a dead connection: after a laptop slept, nobody says so. */
const SILENCE_MS = 90_000;

/** One collection, listed once and then watched; comes back by itself after any break, without a gap. */
export class LiveList<T extends Identified> {
  private readonly objects = new Map<string, T>();
  private readonly listeners = new Set<() => void>();
  private snapshot: LiveSnapshot<T> = { liveness: 'loading', items: [] };
  private revision: string | undefined;
  /** Whether what it holds was ever the whole list: an empty one is something known, too. */
  private wasListed = false;
  private abort: AbortController | undefined;
  private gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly path: string,
    private readonly selection: Readonly<Record<string, string>> = {},
    /** Told when the last one has left who listened. */
    private readonly onIdle: () => void = () => undefined,
  ) {}

  get isIdle(): boolean {
    return this.listeners.size === 0;
  }

  readonly current = (): LiveSnapshot<T> => this.snapshot;

  /** Watches while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.abort) this.start();
    return () => {
      this.listeners.delete(listener);
      if (!this.isIdle) return;
      this.stop();
      this.onIdle();
    };
  };

  /** Asks anew at once, as after the person pressed "try again". */
  restart(): void {
    this.stop();
    if (this.listeners.size > 0) this.start();
  }

  private start(): void {
    const abort = new AbortController();
    this.abort = abort;
    void this.follow(abort.signal);
  }

  private stop(): void {
    this.abort?.abort();
    this.abort = undefined;
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        if (this.revision === undefined) {
          await this.list(signal);
          this.publish('live');
        }
        await this.watch(signal, () => {
          waitMs = FIRST_WAIT_MS;
          this.publish('live');
        });
      } catch (error) {
        if (signal.aborted) return;
        // What is gathered is said with why it is not live.
        clearTimeout(this.gathering);
        this.gathering = undefined;
        const cause = error instanceof ApiError ? error : unreachable(error);
        if (this.stumble(cause)) return;
        if (cause.status !== 410) {
          await pause(cause.retryAfterMs ?? waitMs * (0.75 + Math.random() / 2), signal);
          waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
        }
      }
    }
  }

  private async list(signal: AbortSignal): Promise<void> {
    const listed = await apiJson<{ readonly items: T[]; readonly metadata: { readonly resourceVersion: string } }>(
      this.url({}),
      { signal },
    );
    this.objects.clear();
    for (const item of listed.items) this.objects.set(keyOf(item), item);
    this.revision = listed.metadata.resourceVersion;
    this.wasListed = true;
  }

  /** One watch, until it ends; tells once it goes. */
  private async watch(signal: AbortSignal, onGoing: () => void): Promise<void> {
    const url = this.url({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(WATCH_SECONDS),
      resourceVersion: this.revision ?? '',
    });
    const silence = new Silence(signal, SILENCE_MS);
    let goes: ReturnType<typeof setTimeout> | undefined;
    try {
      const { body } = await apiFetch(url, { signal: silence.signal });
      const going = once(onGoing);
      goes = setTimeout(going, GOES_AFTER_MS);
      if (!body) return;
      for await (const line of jsonLines<WatchLine<T>>(body)) {
        silence.heard();
        this.apply(line);
        going();
      }
    } finally {
      silence.close();
      clearTimeout(goes);
    }
  }

  private apply({ type, object }: WatchLine<T>): void {
    if (type === 'ERROR') throw new ApiError(object.code ?? 500, object.reason ?? 'Unknown', object.message ?? '');
    this.revision = object.metadata.resourceVersion ?? this.revision;
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') this.objects.delete(keyOf(object));
    else this.objects.set(keyOf(object), object);
    // A burst is drawn once.
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.publish('live');
    }, GATHER_MS);
  }

  /** Says why it is not live; true when that is for good. */
  private stumble(cause: ApiError): boolean {
    const isFinal = this.isFinal(cause);
    if (cause.status === 410 || cause.status === 404) this.revision = undefined;
    const broken = this.wasListed ? 'reconnecting' : 'loading';
    if (cause.status !== 410) this.publish(isFinal ? 'failed' : broken, cause);
    return isFinal;
  }

  /** No waiting mends it. What was there once comes again: after a restart the platform learns its kinds one by one. */
  private isFinal({ status }: ApiError): boolean {
    if (status === 404) return !this.wasListed;
    return status === 401 || status === 403 || status === 400 || status === 405;
  }

  private publish(liveness: Liveness, error?: ApiError): void {
    this.snapshot = { liveness, items: [...this.objects.values()], ...(error === undefined ? {} : { error }) };
    for (const listener of this.listeners) listener();
  }

  private url(query: Readonly<Record<string, string>>): string {
    const parameters = new URLSearchParams({ ...this.selection, ...query });
    return parameters.size === 0 ? this.path : `${this.path}?${parameters.toString()}`;
  }
}

function once(tell: () => void): () => void {
  let isTold = false;
  return () => {
    if (!isTold) tell();
    isTold = true;
  };
}

function keyOf({ metadata }: Identified): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
