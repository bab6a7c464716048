import type { FleetEvent, FleetPage, FleetRow } from '@crate/api';
import { ApiError, unreachable } from '../../api/api-error.js';
import { apiFetch } from '../../api/http.js';
import { jsonLines } from '../../api/json-lines.js';
import { pause } from '../../api/pause.js';
import type { Liveness } from '../../api/live-list.js';

/** The fleet as the page has it; a new object whenever something changed. */
export interface FleetSnapshot {
  readonly liveness: Liveness;
  readonly error?: ApiError;
  /** The newest page; undefined until the first has come. */
  readonly page: FleetPage | undefined;
  /** What the newest page was asked for by. */
  readonly query?: string;
  /** Rows by their place in the whole; holes are not loaded. */
  readonly rows: ReadonlyMap<number, FleetRow>;
  /** True while the rows are of what was asked for before. */
  readonly isStale: boolean;
  /** Places whose rows are others by now, and wait for `settle`. */
  readonly waiting: number;
}

/** Which places are watched. */
interface Window {
  readonly offset: number;
  readonly limit: number;
}

const FIRST: Window = { offset: 0, limit: 100 };
const LONGEST = 500;
const STEP = 20;
const MARGIN = 60;
/** Scrolling goes on for this long before another stretch is asked for. */
const SETTLE_MS = 100;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The server says something every 20 s; silence for longer is a dead connection. */
const SILENCE_MS = 50_000;

/**
 * Rows of the fleet around what is in view, live over one stream. While it is held, rows stay where they are and only
 * their content is renewed: nothing moves away from under a pointer.
 */
export class FleetFeed {
  private readonly listeners = new Set<() => void>();
  private snapshot: FleetSnapshot = {
    liveness: 'loading',
    page: undefined,
    rows: new Map(),
    isStale: false,
    waiting: 0,
  };
  private query = '';
  private window = FIRST;
  private isHeld = false;
  /** What the newest page answers. */
  private answered: string | undefined;
  private abort: AbortController | undefined;
  private moving: ReturnType<typeof setTimeout> | undefined;

  readonly current = (): FleetSnapshot => this.snapshot;

  /** Watches while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.abort) this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  };

  /** Asks for something else; what is shown stays, rows marked stale, or why there are none, until the answer is there. */
  ask(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.window = FIRST;
    const { page, error } = this.snapshot;
    this.publish({ isStale: page !== undefined, waiting: 0, ...(error && { error }) });
    this.restart();
  }

  /** Has these places loaded and live. */
  show(first: number, last: number): void {
    const { offset, limit } = this.window;
    const end = Math.min(last + 1, this.snapshot.page?.matching ?? 0);
    clearTimeout(this.moving);
    if (first >= offset && end <= offset + limit) return;
    this.moving = setTimeout(() => {
      const from = Math.max(0, Math.floor((first - MARGIN) / STEP) * STEP);
      const wanted = Math.ceil((last + MARGIN - from) / STEP) * STEP;
      this.window = { offset: from, limit: Math.min(Math.max(wanted, FIRST.limit), LONGEST) };
      this.restart();
    }, SETTLE_MS);
  }

  /** Rows keep their places until `settle`. */
  hold(): void {
    this.isHeld = true;
  }

  /** Puts rows to their places, and no longer holds them. */
  settle(): void {
    this.isHeld = false;
    const { page, waiting } = this.snapshot;
    if (page && waiting > 0) this.commit(page);
  }

  /** Asks anew at once. */
  restart(): void {
    this.stop();
    if (this.listeners.size > 0) this.start();
  }

  private start(): void {
    const abort = new AbortController();
    this.abort = abort;
    void this.follow(abort);
  }

  private stop(): void {
    clearTimeout(this.moving);
    this.abort?.abort();
    this.abort = undefined;
  }

  private async follow({ signal }: AbortController): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        await this.watch(signal);
        waitMs = FIRST_WAIT_MS;
      } catch (error) {
        if (signal.aborted) return;
        const cause = error instanceof ApiError ? error : unreachable(error);
        const isFinal = this.isFinal(cause);
        const broken = this.snapshot.page ? 'reconnecting' : 'loading';
        this.publish({ liveness: isFinal ? 'failed' : broken, error: cause });
        if (isFinal) return;
        await pause(cause.retryAfterMs ?? waitMs * (0.75 + Math.random() / 2), signal);
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      }
    }
  }

  /** One stream, until it ends. */
  private async watch(signal: AbortSignal): Promise<void> {
    const { offset, limit } = this.window;
    const own = new AbortController();
    const end = (): void => own.abort(new Error('The stream is silent'));
    signal.addEventListener('abort', end);
    let silence = setTimeout(end, SILENCE_MS);
    try {
      const path = `/fleet/clusters?${this.query}&offset=${offset}&limit=${limit}&watch=true`;
      const { body } = await apiFetch(path, { signal: own.signal });
      if (!body) return;
      for await (const event of jsonLines<FleetEvent>(body)) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        if (signal.aborted || event.type !== 'PAGE') continue;
        this.receive(event.page, path);
      }
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
    }
  }

  /** No waiting mends it. What answered once does again: after a restart the platform learns by and by what it serves. */
  private isFinal({ status }: ApiError): boolean {
    if (status === 404) return this.snapshot.page === undefined;
    return status >= 400 && status < 500 && status !== 429;
  }

  private receive(page: FleetPage, asked: string): void {
    // After scrolling rows are on the move anyway; after a break they are where somebody aims at them.
    const isOther = this.snapshot.isStale || asked !== this.answered;
    this.answered = asked;
    if (isOther || !this.isHeld) this.commit(page);
    else this.renew(page);
  }

  private commit(page: FleetPage): void {
    const kept = this.snapshot.isStale ? [] : [...this.snapshot.rows].filter(([index]) => index < page.matching);
    const rows = new Map([...kept, ...placed(page)]);
    this.publish({ liveness: 'live', page, query: this.query, rows, isStale: false, waiting: 0 });
  }

  /** New content in old places. */
  private renew(page: FleetPage): void {
    const fresh = new Map(page.rows.map((row) => [row.uid, row]));
    const rows = new Map([...this.snapshot.rows].map(([index, row]) => [index, fresh.get(row.uid) ?? row]));
    const waiting = placed(page).filter(([index, { uid }]) => rows.get(index)?.uid !== uid).length;
    const left = [...rows.keys()].filter((index) => index >= page.matching).length;
    this.publish({ liveness: 'live', page, rows, waiting: waiting + left });
  }

  private publish(change: Partial<FleetSnapshot>): void {
    const { error: _before, ...rest } = this.snapshot;
    this.snapshot = { ...rest, ...change };
    for (const listener of this.listeners) listener();
  }
}

function placed({ offset, rows }: FleetPage): readonly (readonly [number, FleetRow])[] {
  return rows.map((row, index) => [offset + index, row] as const);
}
