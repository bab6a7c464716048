import { createHash } from 'node:crypto';
import type { Database } from '@crate/database';

const FORGET = 'DELETE FROM console_handovers WHERE expires_at < now()';
const PUT = `INSERT INTO console_handovers (digest, content, expires_at)
  VALUES ($1, $2, now() + $3 * interval '1 millisecond')
  ON CONFLICT (digest) DO UPDATE SET content = excluded.content, expires_at = excluded.expires_at`;
const TAKE = 'DELETE FROM console_handovers WHERE digest = $1 AND expires_at >= now() RETURNING content';
const FIND = 'SELECT content FROM console_handovers WHERE digest = $1 AND expires_at >= now()';
const CLAIM = `INSERT INTO console_handovers AS held (digest, content, expires_at)
  VALUES ($1, NULL, now() + $2 * interval '1 millisecond')
  ON CONFLICT (digest) DO UPDATE SET content = NULL, expires_at = excluded.expires_at WHERE held.expires_at < now()
  RETURNING digest`;
const RELEASE = 'DELETE FROM console_handovers WHERE digest = $1 AND content IS NULL';

interface Row {
  readonly content: string | null;
}

/**
 * Things that replicas of the front door hand to each other, known by a secret that is not kept itself. All of them see the same, by
 * the clock of the database.
 */
export class Handovers {
  constructor(private readonly database: Database) {}

  /** Leaves something, in place of what was there. */
  async put(secret: string, content: string, lifetimeMs: number): Promise<void> {
    await this.database.execute(FORGET);
    await this.database.execute(PUT, [digestOf(secret), content, lifetimeMs]);
  }

  /** What was left, to the first who asks and nobody else. */
  async take(secret: string): Promise<string | undefined> {
    return (await this.database.firstRow<Row>(TAKE, [digestOf(secret)]))?.content ?? undefined;
  }

  /** What was left; undefined also while whoever claimed it works on it. */
  async find(secret: string): Promise<string | undefined> {
    return (await this.database.firstRow<Row>(FIND, [digestOf(secret)]))?.content ?? undefined;
  }

  /** True for the one who is to work on it; false for others until it is released, or its time is over. */
  async claim(secret: string, lifetimeMs: number): Promise<boolean> {
    return (await this.database.firstRow(CLAIM, [digestOf(secret), lifetimeMs])) !== undefined;
  }

  /** Gives a claim back that came to nothing. */
  async release(secret: string): Promise<void> {
    await this.database.execute(RELEASE, [digestOf(secret)]);
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
