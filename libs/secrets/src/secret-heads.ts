import { isDeepStrictEqual } from 'node:util';
import type { SqlRunner } from '@crate/database';
import type { AesGcmSecretBox } from './aes-gcm-secret-box.js';
import { isKeyMissing } from './missing-key.js';
import { damaged, differenceOf } from './secret-damage.js';
import { boundFence } from './secret-fence.js';
import type { SecretRow, SecretSeries } from './secret-row.js';
import type { SecretFacts } from './secret-store.js';

interface Head {
  readonly serial: number;
  readonly facts: SecretFacts;
  readonly digest: Buffer;
  readonly key_id: string;
  readonly mac: Buffer;
}

type Placed = Pick<SecretRow, 'serial' | 'facts' | 'digest'>;

/** A series as one statement saw it. */
export interface SeriesState extends SecretSeries {
  readonly newest: SecretRow | undefined;
  readonly head: Head | undefined;
}

const WITH_HEAD = `SELECT v.*, h.serial AS head_serial, h.facts AS head_facts, h.digest AS head_digest,
    h.key_id AS head_key_id, h.mac AS head_mac
  FROM (SELECT * FROM secret_versions WHERE owner_uid = $1 AND kind = $2 ORDER BY serial DESC LIMIT 1) v
  FULL JOIN (SELECT * FROM secret_heads WHERE owner_uid = $1 AND kind = $2) h
    ON h.owner_uid = v.owner_uid`;

/**
 * Says of each series which version is its newest, in a row that only the holder of the keys can write: whoever removes versions, or
 * puts an old one in place of the newest, contradicts it.
 */
export class SecretHeads {
  constructor(private readonly box: AesGcmSecretBox) {}

  /** The newest version and its head, of one moment. */
  async read(sql: SqlRunner, { ownerUid, kind }: SecretSeries): Promise<SeriesState> {
    const rows = await sql.rowsOnce<Joined>(WITH_HEAD, [ownerUid, kind]);
    const [row] = rows;
    if (!row) return { ownerUid, kind, newest: undefined, head: undefined };
    const { head_serial, head_facts, head_digest, head_key_id, head_mac, ...newest } = row;
    return {
      ownerUid,
      kind,
      newest: newest.serial === null ? undefined : (newest as SecretRow),
      head:
        head_serial === null
          ? undefined
          : {
              serial: head_serial,
              facts: head_facts as SecretFacts,
              digest: head_digest as Buffer,
              key_id: head_key_id as string,
              mac: head_mac as Buffer,
            },
    };
  }

  /**
   * Throws Invariant, with what happened as its reason, when the newest version is not the one that was stored last. One without facts
   * has to be opened to be proven.
   */
  async check({ newest, head, ...series }: SeriesState): Promise<void> {
    const { kind } = series;
    if (!head) {
      // Versions from before there were heads have no facts either.
      if (newest && newest.facts !== null) throw damaged('tampered', kind);
      return;
    }
    if (!(await this.isProven(series, head))) throw damaged('tampered', kind);
    // An older replica wrote it during an upgrade: nobody else could have sealed it under a serial that was still to come.
    if (newest && newest.facts === null && newest.serial > head.serial) return;
    if (!isPlaced(newest, head)) throw damaged(differenceOf(newest, head), kind);
  }

  /**
   * The fence of a series whose newest version may be damaged: as its head says, null when that is not proven, its key being lost among
   * others, or from before fences were bound.
   */
  async provenFence({ head, ...series }: SeriesState): Promise<bigint | null> {
    const isProven = head && (await this.isProven(series, head).catch(falseWithoutKey));
    return isProven ? (boundFence(head.facts) ?? null) : null;
  }

  /** Says that this is the newest version from now on. */
  async write(sql: SqlRunner, series: SecretSeries, newest: Placed, keyId: string): Promise<void> {
    const facts = newest.facts ?? {};
    const mac = await this.macOf(series, { ...newest, facts }, keyId);
    await sql.execute(
      `INSERT INTO secret_heads (owner_uid, kind, serial, facts, digest, key_id, mac) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (owner_uid, kind) DO UPDATE
       SET serial = excluded.serial, facts = excluded.facts, digest = excluded.digest, key_id = excluded.key_id,
           mac = excluded.mac`,
      [series.ownerUid, series.kind, newest.serial, facts, newest.digest, keyId, mac],
    );
  }

  private async isProven(series: SecretSeries, head: Head): Promise<boolean> {
    return head.mac.equals(await this.macOf(series, head, head.key_id));
  }

  private macOf(
    { ownerUid, kind }: SecretSeries,
    { serial, facts, digest }: Placed,
    keyId: string,
  ): Promise<Uint8Array> {
    const head = { ownerUid, kind, serial, facts: facts ?? {}, digest: Buffer.from(digest).toString('base64') };
    return this.box.headMac(head, keyId);
  }
}

function falseWithoutKey(error: unknown): false {
  if (isKeyMissing(error)) return false;
  throw error;
}

function isPlaced(newest: SecretRow | undefined, head: Head): boolean {
  if (newest?.serial !== head.serial || !newest.digest.equals(head.digest)) return false;
  return newest.facts !== null && isDeepStrictEqual(newest.facts, head.facts);
}

interface Joined extends Omit<SecretRow, 'serial'> {
  readonly serial: number | null;
  readonly head_serial: number | null;
  readonly head_facts: SecretFacts | null;
  readonly head_digest: Buffer | null;
  readonly head_key_id: string | null;
  readonly head_mac: Buffer | null;
}
