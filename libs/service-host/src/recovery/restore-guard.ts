import type { Database } from '@crate/database';
import type { Logger } from '@crate/telemetry';
import type { MemoryMarker, NotedRevisions } from './memory-marker.js';
import { headOf, setEpochsForward, setRevisionForward } from './set-forward.js';

export interface RestoreGuardOptions {
  readonly marker: MemoryMarker;
  /** The service's resources; the recovery is noted there. */
  readonly main: Database;
  /** All schemas whose revisions are given to clients, `main` among them, by name. */
  readonly schemas: Readonly<Record<string, Database>>;
  readonly everyMs: number;
  readonly logger: Logger;
  /** The database was set back while the process ran: what it keeps in memory is of another world. */
  readonly onSetBack: () => void;
}

/** Notices that the database was set back to an older point, as by the restore of a backup, and makes that safe. */
export class RestoreGuard {
  private timer: NodeJS.Timeout | undefined;
  private noted: NotedRevisions = {};
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: RestoreGuardOptions) {}

  /**
   * To be called before anything is served or written. Begins a recovery when the database knows less than was noted:
   * revisions and epochs go beyond all that were ever given out. Safe to kill and with any number of replicas.
   */
  async check(): Promise<void> {
    const { marker, main, schemas } = this.options;
    const noted = await marker.read();
    const others = Object.entries(schemas).filter(([, database]) => database !== main);
    let isSetBack = false;
    // The recovery itself comes last: killed before, the next start finds the same again.
    for (const [name, database] of others) isSetBack = (await this.setForward(database, noted[name])) || isSetBack;
    const own = Object.entries(schemas).find(([, database]) => database === main)?.[0] ?? '';
    await this.begin(main, noted[own] ?? 0, isSetBack);
    await this.note();
  }

  /** Goes on noting how far the database has come. */
  start(): void {
    this.timer = setInterval(() => this.noteSoon(), this.options.everyMs);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.noteSoon();
    await this.work;
  }

  private async setForward(database: Database, noted: number | undefined): Promise<boolean> {
    if (noted === undefined || (await headOf(database)) >= noted) return false;
    return database.transaction((transaction) => setRevisionForward(transaction, noted));
  }

  private async begin(main: Database, noted: number, isOtherSetBack: boolean): Promise<void> {
    const head = await headOf(main);
    if (head >= noted && !isOtherSetBack) return;
    const reason = `The database was at revision ${head}, and had been at ${noted} before`;
    const hasBegun = await main.transaction(async (transaction) => {
      await transaction.execute('SELECT FROM recovery FOR UPDATE');
      const isFirst = await setRevisionForward(transaction, noted);
      if (!isFirst && !isOtherSetBack) return false;
      await setEpochsForward(transaction);
      await transaction.execute(
        `UPDATE recovery SET epoch = epoch + 1, begun_at = now(), reason = $1, confirmed_at = NULL, confirmed_by = NULL`,
        [reason],
      );
      return true;
    });
    if (hasBegun) this.options.logger.error('The database was set back to an older point: recovering', { head, noted });
  }

  private noteSoon(): void {
    this.work = this.work
      .then(() => this.note())
      .catch((error: unknown) => this.options.logger.warn('Failing to note how far the database is', { error }));
  }

  private async note(): Promise<void> {
    const now: Record<string, number> = {};
    for (const [name, database] of Object.entries(this.options.schemas)) now[name] = await headOf(database);
    const names = Object.keys(now);
    if (names.some((name) => (now[name] ?? 0) < (this.noted[name] ?? 0))) {
      clearInterval(this.timer);
      this.options.logger.error('The database was set back while this process ran', { now, noted: this.noted });
      this.options.onSetBack();
      return;
    }
    if (names.every((name) => now[name] === this.noted[name])) return;
    await this.options.marker.note(now);
    this.noted = now;
  }
}
