import type { Database } from '@crate/database';
import { hasCode, toPlatformError } from '@crate/errors';
import type { AesGcmSecretBox } from '../aes-gcm-secret-box.js';
import { isKeyMissing } from '../missing-key.js';
import { keyUses, type KeyUse } from './key-use.js';
import type { RenewableRows, SecretPlace } from './renewable-rows.js';
import { SealedTableRows, type SealedTable } from './sealed-table.js';
import { SecretRows } from './secret-rows.js';

const BATCH = 100;
/** So many in a row say that the database is away, and not that it cannot read some block. */
const MOST_OUTAGES = 3;
/** Names the one renewal of a service that runs at a time. */
const TURN = `hashtextextended('crate/secret-renewal/' || current_schema(), 0)`;

/** How far a renewal has come. */
export interface RenewalProgress {
  readonly renewed: number;
  /** Records that do not open: they stay as they are, and keep their key in use. */
  readonly failed: number;
}

/** Keys that records stand under and that are none of those in use, oldest first: such as are older, and any, older or newer, that have no file here. */
export interface OlderKeys {
  /** What stands under them is to be moved. */
  readonly present: readonly string[];
  /** What stands under them cannot be read before their files are back. */
  readonly missing: readonly string[];
}

/** The signal ends a renewal between two batches; what is under the newest key by then stays so. */
export interface RenewalOptions {
  readonly signal?: AbortSignal;
  /** Told after each batch. */
  readonly onProgress?: (progress: RenewalProgress) => void;
  /** Told of each record that does not open. */
  readonly onFailure?: (error: unknown, secret: SecretPlace) => void;
}

/**
 * Moves every record under the newest key-encryption key, each with a new data key of its own. Safe beside running services,
 * to kill and to repeat: which key a record stands under is its only memory.
 */
export class SecretRenewal {
  constructor(
    private readonly database: Database,
    private readonly box: AesGcmSecretBox,
    /** Those of the service's own beside secrets. */
    private readonly tables: readonly SealedTable[] = [],
  ) {}

  /** Every key in use and how many records stand under it. */
  async uses(): Promise<readonly KeyUse[]> {
    const names = this.tables.map(({ name }) => name);
    return keyUses(async (sql) => ({ rows: await this.database.rowsOnce(sql) }), names);
  }

  /** A run is due when one of them is present. */
  async olderKeys(): Promise<OlderKeys> {
    const current = await this.box.currentKeyIds();
    const keys: Record<keyof OlderKeys, string[]> = { present: [], missing: [] };
    for (const { keyId } of await this.uses()) {
      if (!current.includes(keyId)) keys[(await this.box.knows(keyId)) ? 'present' : 'missing'].push(keyId);
    }
    return keys;
  }

  /**
   * Goes through all records once that stand under a key which is there. Undefined when another process is at it. Throws Unavailable, Timeout or
   * Conflict where the database or a key cannot be had, after what could be moved, or at once where several records in a row meet it: the next run
   * goes on there.
   */
  async run(options: RenewalOptions = {}): Promise<RenewalProgress | undefined> {
    const client = await this.database.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${TURN}) AS mine`);
      if (!rows[0]?.mine) return undefined;
      try {
        return await this.renewAll(options);
      } finally {
        await client.query(`SELECT pg_advisory_unlock(${TURN})`).catch((error: Error) => (broken = error));
      }
    } finally {
      // The end of a session gives its turn back too, also that of a killed process.
      client.release(broken);
    }
  }

  private async renewAll(options: RenewalOptions): Promise<RenewalProgress> {
    // By name: what a replica ahead of this one has moved is not moved back, and no key is looked for that is not there.
    const { present } = await this.olderKeys();
    const { database, box, tables } = this;
    const done: Done = { renewed: 0, failed: 0, outage: undefined, outagesInARow: 0 };
    await renewRows(new SecretRows(database, box), present, done, options);
    for (const table of tables) await renewRows(new SealedTableRows(database, box, table), present, done, options);
    if (done.outage) throw done.outage;
    return progressOf(done);
  }
}

interface Done {
  renewed: number;
  failed: number;
  /** What kept records where they are, and says nothing of them. */
  outage: Error | undefined;
  outagesInARow: number;
}

function progressOf({ renewed, failed }: Done): RenewalProgress {
  return { renewed, failed };
}

async function renewRows<Place>(
  rows: RenewableRows<Place>,
  keyIds: readonly string[],
  done: Done,
  { signal, onProgress, onFailure }: RenewalOptions,
): Promise<void> {
  let last: Place | undefined;
  for (;;) {
    const places = await rows.under(keyIds, last, BATCH);
    if (places.length === 0) return;
    for (const place of places) {
      signal?.throwIfAborted();
      await renewRow(rows, place, done, onFailure);
      last = place;
    }
    onProgress?.(progressOf(done));
  }
}

async function renewRow<Place>(
  rows: RenewableRows<Place>,
  place: Place,
  done: Done,
  onFailure: RenewalOptions['onFailure'],
): Promise<void> {
  try {
    done.renewed += await rows.renew(place);
    done.outagesInARow = 0;
  } catch (error) {
    if (isOfDatabase(error)) return noteOutage(error, done);
    done.failed += 1;
    done.outagesInARow = 0;
    onFailure?.(error, rows.bindingOf(place));
  }
}

function noteOutage(error: unknown, done: Done): void {
  done.outage = toPlatformError(error);
  done.outagesInARow += 1;
  if (done.outagesInARow === MOST_OUTAGES) throw error;
}

/** A database that is away, or a lock of its own, says nothing of whether a record opens: the next run goes on there. */
function isOfDatabase(error: unknown): boolean {
  return hasCode(error, 'Unavailable', 'Timeout', 'Conflict') && !isKeyMissing(error);
}
