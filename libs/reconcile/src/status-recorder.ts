import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@crate/api';
import { conflict, hasCode } from '@crate/errors';
import type { FindingClient } from './finding-client.js';
import { saveStatusIfChanged, type StatusClient } from './save-status.js';

/** What a recorder needs of a client; `TypedClient` offers it. */
export type RecorderClient<T extends KubeObject> = FindingClient<T> & StatusClient<T>;

const REPORT_EVERY_MS = 1_000;

/**
 * Writes the status of one object through a long pass: reports while it runs, at most one in `reportEveryMs`, and the
 * last word at its end.
 * A change of the spec meanwhile does not lose the status; a status written by somebody else is never overwritten.
 */
export class StatusRecorder<T extends KubeObject> {
  private current: T;
  private pending: (() => unknown) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: RecorderClient<T>,
    object: T,
    private readonly signal: AbortSignal,
    private readonly reportEveryMs = REPORT_EVERY_MS,
  ) {
    this.current = object;
  }

  /** Publishes soon; of several reports in a short time only the last. One that fails, or has no status by then, is dropped. */
  report(status: () => unknown): void {
    this.pending = status;
    this.timer ??= setTimeout(() => this.flush(), this.reportEveryMs);
  }

  /** Drops a report that was not published yet. */
  discard(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pending = undefined;
  }

  /** Publishes now, unless nothing changed. Gives the object as it is then. Throws Conflict when this pass was overtaken. */
  async save(status: unknown): Promise<T> {
    this.discard();
    return this.enqueue(status);
  }

  private flush(): void {
    this.timer = undefined;
    const status = this.pending?.();
    this.pending = undefined;
    if (status === undefined || this.signal.aborted) return;
    void this.enqueue(status).catch(() => undefined);
  }

  /** One write after the other: of two at a time, one would find itself overtaken. */
  private enqueue(status: unknown): Promise<T> {
    const written = this.writing.then(() => this.write(status));
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async write(status: unknown): Promise<T> {
    try {
      this.current = await saveStatusIfChanged(this.client, this.current, status);
    } catch (error) {
      if (!hasCode(error, 'Conflict') || this.signal.aborted) throw error;
      this.current = await saveStatusIfChanged(this.client, await this.refresh(), status);
    }
    return this.current;
  }

  private async refresh(): Promise<T> {
    const { name, namespace, uid } = this.current.metadata;
    const fresh = await this.client.find(name, namespace);
    const isOurs = fresh?.metadata.uid === uid && isDeepStrictEqual(fresh['status'], this.current['status']);
    if (!fresh || !isOurs) throw conflict('The object was changed by a newer pass', { kind: this.current.kind, name });
    return fresh;
  }
}
