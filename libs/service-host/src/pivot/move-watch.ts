import type { SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';
import { broughtBy, stateOf, type MoveRecord } from '@crate/pivot';
import type { Logger } from '@crate/telemetry';
import { setTimeout as delay } from 'node:timers/promises';

const READ = 'SELECT id, side, step, address FROM installation_move WHERE id IS NOT NULL';
const RETRY_MS = 30_000;
/** Nobody acts while an installation is brought here, so each look that comes late is a time without a platform. */
const RECEIVING_LOOK_MS = 500;
const ENDING = 'Ending, to start anew with what is moved here';

export interface MoveWatchOptions {
  /** Its `search_path` is the schema of the service. */
  readonly database: SqlRunner;
  readonly everyMs: number;
  readonly logger: Logger;
  /** The installation began to receive another one while this process ran, or has received it: what the process knows is not so any more. */
  readonly onReplaced: () => void;
}

/**
 * Whether the installation is being moved (ADR 0330). The database refuses writes by itself; this keeps a process from starting on memory that is about
 * to be replaced, and from answering out of memory that is no longer the newest.
 */
export class MoveWatch {
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private readonly movedAway = new AbortController();
  private isEnding = false;
  /** What brought the installation that this process began on. */
  private brought: string | undefined;

  constructor(private readonly options: MoveWatchOptions) {}

  /** Aborted once nothing may be answered any more; its reason is the refusal (Unavailable, `Moved`, with the address). */
  get moved(): AbortSignal {
    return this.movedAway.signal;
  }

  /** Returns once the installation may act or has moved away, at once without a move, and goes on looking. Throws the signal's reason. */
  async start(signal: AbortSignal): Promise<void> {
    const { everyMs, logger } = this.options;
    let record = await this.read();
    for (let looks = 0; stateOf(record) === 'receiving'; looks += 1) {
      if (looks === 0) logger.info('Waiting for the installation that is moved here');
      await delay(Math.min(everyMs, RECEIVING_LOOK_MS), undefined, { signal });
      record = await this.read();
    }
    this.brought = broughtBy(record);
    this.note(record);
    this.timer = setInterval(() => this.lookSoon(), everyMs);
    this.timer.unref();
  }

  /** Looks at once. Throws Unavailable (`Moving`) when the process has to end. */
  async check(): Promise<void> {
    await this.look();
    if (this.isEnding) throw new PlatformError('Unavailable', ENDING, { details: { reason: 'Moving' } });
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.work;
  }

  private lookSoon(): void {
    this.work = this.work
      .then(() => this.look())
      .catch((error: unknown) => this.options.logger.warn('Failing to see whether the installation moves', { error }));
  }

  private async look(): Promise<void> {
    if (!this.isEnding) this.note(await this.read());
  }

  /** Says once that the process has to end: looks may be waiting for the one before, and a second signal would not let it end in peace. */
  private note(record: Row | undefined): void {
    if (stateOf(record) === 'moved') this.movedAway.abort(hasMoved(record?.address ?? undefined));
    if (this.isEnding || !this.isReplaced(record)) return;
    this.isEnding = true;
    clearInterval(this.timer);
    this.options.logger.info(ENDING);
    this.options.onReplaced();
  }

  /** A move may have begun and ended since the last look: then it is known by its id alone. */
  private isReplaced(record: Row | undefined): boolean {
    const brought = broughtBy(record);
    return brought !== undefined && brought !== this.brought;
  }

  private async read(): Promise<Row | undefined> {
    return this.options.database.firstRow<Row>(READ);
  }
}

interface Row extends Record<string, unknown>, Pick<MoveRecord, 'id' | 'side' | 'step'> {
  readonly address: string | null;
}

function hasMoved(address = 'another place'): PlatformError {
  const details = { reason: 'Moved', remedy: 'Use the address that it has moved to', retryAfterMs: RETRY_MS };
  return new PlatformError('Unavailable', `This installation has moved to ${address}`, { details });
}
