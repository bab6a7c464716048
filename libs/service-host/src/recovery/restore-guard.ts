import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '@crate/database';
import type { Logger } from '@crate/telemetry';
import type { MemoryMarker, NotedRevisions } from './memory-marker.js';
import { RecoveryState } from './recovery-state.js';
import { headOf, setEpochsForward, setRevisionForward } from './set-forward.js';

export interface RestoreGuardOptions {
  readonly marker: MemoryMarker;
  /** The service's resources; the recovery is noted there. */
  readonly main: Database;
  /** All schemas whose revisions are given to clients, `main` among them, by name; all in the database of `main`. */
  readonly schemas: Readonly<Record<string, Database>>;
  readonly everyMs: number;
  readonly logger: Logger;
  /** The database was set back while the process ran: what it keeps in memory is of another world. Called once. */
  readonly onSetBack: () => void;
}

/** How the database stood at a look. */
interface Standing {
  readonly revisions: NotedRevisions;
  /** When the last recovery began, in milliseconds; undefined: none ever has. */
  readonly begunAt: number | undefined;
}

/** Notices that the database was set back to an older point, as by the restore of a backup, and makes that safe. */
export class RestoreGuard {
  private timer: NodeJS.Timeout | undefined;
  private known: Standing | undefined;
  private isSetBack = false;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: RestoreGuardOptions) {}

  /**
   * To be called before anything is served or written. Begins a recovery when the database knows less than was noted:
   * revisions and epochs go beyond all that were ever given out. Safe to kill and with any number of replicas.
   */
  async check(): Promise<void> {
    // Before the look, or what another replica writes and notes in between would pass for what is gone.
    const read = await this.options.marker.read();
    const { revisions: found } = await this.look();
    const noted = 'why' in read ? this.nothingNoted(read.why, found) : read.revisions;
    const [behind] = schemasBehind(found, noted);
    if (behind !== undefined) {
      const reason = `The database was at revision ${found[behind]}, and had been at ${noted[behind]} before`;
      await this.recover(noted, reason);
    }
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

  /** A replica that is new has no note either: whether others remember, nobody can tell here. */
  private nothingNoted(why: string, found: NotedRevisions): NotedRevisions {
    const { marker, logger } = this.options;
    const isInUse = Object.values(found).some((revision) => revision > 0);
    const message = 'No recovery marker of before: this replica would not notice that the database was set back';
    if (isInUse) logger.warn(message, { file: marker.file, why });
    return {};
  }

  private async recover(noted: NotedRevisions, reason: string): Promise<void> {
    const { main, logger } = this.options;
    const hasBegun = await main.transaction(async (transaction) => {
      // Replicas that start together do so one after the other: whoever comes later finds nothing behind any more.
      await transaction.execute('SELECT FROM recovery FOR UPDATE');
      if (!(await this.setForward(transaction, noted))) return false;
      await setEpochsForward(transaction);
      await transaction.execute(
        `UPDATE recovery SET epoch = epoch + 1, begun_at = now(), reason = $1, confirmed_at = NULL, confirmed_by = NULL`,
        [reason],
      );
      return true;
    });
    if (hasBegun) logger.error('The database was set back to an older point: recovering', { reason });
  }

  /**
   * Gives whether any schema was behind. All in the transaction of the recovery: were another schema moved before, the recovery of one that was
   * found by it alone would be lost with a process that is killed in between.
   */
  private async setForward(transaction: Transaction, noted: NotedRevisions): Promise<boolean> {
    const { main, schemas } = this.options;
    let isMoved = false;
    for (const [name, { schema }] of Object.entries(schemas)) {
      await lookInto(transaction, schema);
      isMoved = (await setRevisionForward(transaction, noted[name] ?? 0)) || isMoved;
    }
    await lookInto(transaction, main.schema);
    return isMoved;
  }

  private noteSoon(): void {
    this.work = this.work
      .then(() => this.note())
      .catch((error: unknown) => this.options.logger.warn('Failing to note how far the database is', { error }));
  }

  /** Says once that the database was set back: notes may be waiting for the one before, and a second signal would not let the process end in peace. */
  private async note(): Promise<void> {
    if (this.isSetBack) return;
    const now = await this.look();
    const { known } = this;
    if (known && isOfAnotherWorld(known, now)) {
      this.isSetBack = true;
      clearInterval(this.timer);
      this.options.logger.error('The database was set back while this process ran', { now, known });
      this.options.onSetBack();
      return;
    }
    if (isDeepStrictEqual(known, now)) return;
    await this.options.marker.note(now.revisions);
    this.known = now;
  }

  private async look(): Promise<Standing> {
    const revisions: Record<string, number> = {};
    for (const [name, database] of Object.entries(this.options.schemas)) revisions[name] = await headOf(database);
    const last = await new RecoveryState(this.options.main).findLast();
    return { revisions, begunAt: last?.begunAt.getTime() };
  }
}

/** Schemas of one service are of one database and one user. */
async function lookInto(transaction: Transaction, schema: string): Promise<void> {
  await transaction.execute(`SET LOCAL search_path = ${schema}`);
}

/** Where another replica was quicker the revisions are beyond those of before already, and only its recovery tells. */
function isOfAnotherWorld(known: Standing, now: Standing): boolean {
  return now.begunAt !== known.begunAt || schemasBehind(now.revisions, known.revisions).length > 0;
}

function schemasBehind(found: NotedRevisions, noted: NotedRevisions): readonly string[] {
  return Object.keys(found).filter((name) => (found[name] ?? 0) < (noted[name] ?? 0));
}
