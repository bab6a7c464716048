import type { Database, Transaction } from '@crate/database';
import { hasCode } from '@crate/errors';
import { PublicationTurns, type PublicationClaim } from './publication-turns.js';

const TURN = 'policy packs';

/** By the clock at the time of the statement: the transaction may have waited for its turn. */
const CLAIM = `INSERT INTO policy_publications AS stored (subject, release, renewed_at)
  VALUES ('packs', $1, clock_timestamp())
  ON CONFLICT (subject) DO UPDATE SET release = excluded.release, renewed_at = excluded.renewed_at
  WHERE stored.release = excluded.release OR $2 OR stored.renewed_at < clock_timestamp() - $3 * interval '1 ms'`;

/**
 * The turn's transaction says nothing while rules are written over other connections, for as long as a busy machine takes. By a sign of life
 * the database tells it from that of a replica that froze, whose turn it ends.
 */
const SIGN_OF_LIFE_MS = 3_000;

/** Keeps in the table `policy_publications` which release counts. */
export class PostgresPublicationTurns extends PublicationTurns {
  constructor(private readonly database: Database) {
    super();
  }

  async take<T>(claim: PublicationClaim, publish: (counts: boolean) => Promise<T>): Promise<T> {
    for (;;) {
      let isItsTurn = false;
      const work = async (transaction: Transaction): Promise<T> => {
        isItsTurn = true;
        const changed = await transaction.execute(CLAIM, [claim.release, claim.isStart, claim.patienceMs]);
        return whileAlive(transaction, () => publish(changed > 0));
      };
      try {
        return await this.database.inTurn(TURN, work);
      } catch (error) {
        // Others publish for longer than a statement may wait.
        if (isItsTurn || claim.signal?.aborted || !hasCode(error, 'Timeout')) throw error;
      }
    }
  }
}

async function whileAlive<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  const sign = (): void => void transaction.rows('SELECT 1').catch(() => undefined);
  const timer = setInterval(sign, SIGN_OF_LIFE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
