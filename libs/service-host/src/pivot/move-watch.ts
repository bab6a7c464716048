import type { SqlRunner } from '@crate/database';
import { PlatformError } from '@crate/errors';
import { stateOf, type MoveRecord } from '@crate/pivot';
import type { Logger } from '@crate/telemetry';
import { setTimeout as delay } from 'node:timers/promises';

const READ = 'SELECT side, step, address FROM installation_move WHERE id IS NOT NULL';
const RETRY_MS = 30_000;

export interface MoveWatchOptions {
  /** Its `search_path` is the schema of the service. */
  readonly database: SqlRunner;
  readonly everyMs: number;
  readonly logger: Logger;
  /** The installation began to receive another one while this process ran: what the process knows will not be so any more. */
  readonly onReceiving: () => void;
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

  constructor(private readonly options: MoveWatchOptions) {}

  /** Aborted once nothing may be answered any more; its reason is the refusal (Unavailable, `Moved`, with the address). */
  get moved(): AbortSignal {
    return this.movedAway.signal;
  }

  /** Returns once the installation may act or has moved away; at once without a move. Throws the signal's reason. */
  async untilReceived(signal: AbortSignal): Promise<void> {
    const { everyMs, logger } = this.options;
    for (let looks = 0; stateOf(await this.read()) === 'receiving'; looks += 1) {
      if (looks === 0) logger.info('Waiting for the installation that is moved here');
      await delay(everyMs, undefined, { signal });
    }
  }

  /** Looks, and goes on looking. */
  async start(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => this.lookSoon(), this.options.everyMs);
    this.timer.unref();
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

  /** Says once that the process has to end: looks may be waiting for the one before, and a second signal would not let it end in peace. */
  private async look(): Promise<void> {
    if (this.isEnding) return;
    const record = await this.read();
    const state = stateOf(record);
    if (state === 'moved') this.movedAway.abort(hasMoved(record?.address ?? undefined));
    if (state !== 'receiving') return;
    this.isEnding = true;
    clearInterval(this.timer);
    this.options.logger.info('Ending, to start anew with what is moved here');
    this.options.onReceiving();
  }

  private async read(): Promise<Row | undefined> {
    return this.options.database.firstRow<Row>(READ);
  }
}

interface Row extends Record<string, unknown>, Pick<MoveRecord, 'side' | 'step'> {
  readonly address: string | null;
}

function hasMoved(address = 'another place'): PlatformError {
  const details = { reason: 'Moved', remedy: 'Use the address that it has moved to', retryAfterMs: RETRY_MS };
  return new PlatformError('Unavailable', `This installation has moved to ${address}`, { details });
}
