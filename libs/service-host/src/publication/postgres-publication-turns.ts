import type { Database, Transaction } from '@crate/database';
import { hasCode } from '@crate/errors';
import { PublicationTurns, type PublicationClaim } from './publication-turns.js';

/** By the clock at the time of the statement: the transaction may have waited for its turn. */
const claimOf = (table: string): string => `INSERT INTO ${table} AS stored (subject, release, renewed_at)
  VALUES ($4, $1, clock_timestamp())
  ON CONFLICT (subject) DO UPDATE SET release = excluded.release, renewed_at = excluded.renewed_at
  WHERE stored.release = excluded.release OR $2 OR stored.renewed_at < clock_timestamp() - $3 * interval '1 ms'`;

/** Of what is published by turns. */
export interface PublicationSubject {
  /** With the columns `subject`, which is its key, `release` and `renewed_at`. */
  readonly table: string;
  /** Names it in the table. */
  readonly subject: string;
  /** Names the turn in the database. Another name in another release would let both publish at once. */
  readonly turn: string;
}

/** Keeps in a table of the service which release counts. */
export class PostgresPublicationTurns extends PublicationTurns {
  constructor(
    private readonly database: Database,
    private readonly of: PublicationSubject,
  ) {
    super();
  }

  async take<T>(claim: PublicationClaim, publish: (counts: boolean) => Promise<T>): Promise<T> {
    const { table, subject, turn } = this.of;
    const { release, isStart, patienceMs } = claim;
    for (;;) {
      let isItsTurn = false;
      const work = async (transaction: Transaction): Promise<T> => {
        isItsTurn = true;
        const changed = await transaction.execute(claimOf(table), [release, isStart, patienceMs, subject]);
        return publish(changed > 0);
      };
      try {
        return await this.database.inTurn(turn, work);
      } catch (error) {
        // Others publish for longer than a statement may wait.
        if (isItsTurn || claim.signal?.aborted || !hasCode(error, 'Timeout')) throw error;
      }
    }
  }
}
