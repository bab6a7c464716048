import type { Database } from '@crate/database';
import { PublicationTurns, type PublicationClaim } from './publication-turns.js';

const TURN = 'policy packs';

/** By the clock at the time of the statement: the transaction may have waited for its turn. */
const CLAIM = `INSERT INTO policy_publications AS stored (subject, release, renewed_at)
  VALUES ('packs', $1, clock_timestamp())
  ON CONFLICT (subject) DO UPDATE SET release = excluded.release, renewed_at = excluded.renewed_at
  WHERE stored.release = excluded.release OR $2 OR stored.renewed_at < clock_timestamp() - $3 * interval '1 ms'`;

/** Keeps in the table `policy_publications` which release counts. */
export class PostgresPublicationTurns extends PublicationTurns {
  constructor(private readonly database: Database) {
    super();
  }

  async take<T>(
    { release, isStart, patienceMs }: PublicationClaim,
    publish: (counts: boolean) => Promise<T>,
  ): Promise<T> {
    return this.database.inTurn(TURN, async (transaction) => {
      const changed = await transaction.execute(CLAIM, [release, isStart, patienceMs]);
      return publish(changed > 0);
    });
  }
}
