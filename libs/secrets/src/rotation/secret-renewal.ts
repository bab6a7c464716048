import type { Database } from '@crate/database';
import { hasCode } from '@crate/errors';
import type { AesGcmSecretBox } from '../aes-gcm-secret-box.js';
import { isKeyMissing } from '../missing-key.js';
import { keyUses, type KeyUse } from './key-use.js';
import type { RenewableRows, SecretPlace } from './renewable-rows.js';
import { SealedTableRows, type SealedTable } from './sealed-table.js';
import { SecretRows } from './secret-rows.js';

const BATCH = 100;
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
   * Conflict where the database or a key cannot be had: the next run goes on there.
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
    const done = { renewed: 0, failed: 0 };
    await renewRows(new SecretRows(database, box), present, done, options);
    for (const table of tables) await renewRows(new SealedTableRows(database, box, table), present, done, options);
    return done;
  }
}

async function renewRows<Place>(
  rows: RenewableRows<Place>,
  keyIds: readonly string[],
  done: { -readonly [Count in keyof RenewalProgress]: number },
  { signal, onProgress, onFailure }: RenewalOptions,
): Promise<void> {
  let last: Place | undefined;
  for (;;) {
    const places = await rows.under(keyIds, last, BATCH);
    if (places.length === 0) return;
    for (const place of places) {
      signal?.throwIfAborted();
      try {
        done.renewed += await rows.renew(place);
      } catch (error) {
        throwOutage(error);
        done.failed += 1;
        onFailure?.(error, rows.bindingOf(place));
      }
      last = place;
    }
    onProgress?.({ ...done });
  }
}

/** A database that is away, or a lock of its own, says nothing of whether a record opens: the next run goes on there. */
function throwOutage(error: unknown): void {
  if (hasCode(error, 'Unavailable', 'Timeout', 'Conflict') && !isKeyMissing(error)) throw error;
}
