import type { SqlRunner } from '@crate/database';
import type { Usage } from './marketplace.js';

/** How the telling of an hour ended. */
export type UsageOutcome = 'Sent' | 'Refused' | 'Lost';

/** What is open, and how the last ones ended. */
export interface LedgerState {
  /** Hours that have ended and were not told. */
  readonly open: number;
  readonly lastSent: Date | undefined;
  /** Of the last week. */
  readonly refused: number;
  readonly lost: number;
}

/** What was used in each hour, for all replicas. */
export abstract class UsageLedger {
  /** The greatest count of an hour stays. An hour that somebody sends does not change any more. */
  abstract count(dimension: string, quantity: number): Promise<void>;
  /** The oldest hour that has ended and is open, for this sender alone from then on; undefined when there is none. */
  abstract claim(dimension: string, sender: string): Promise<Usage | undefined>;
  /** Idempotent. */
  abstract settle(usage: Usage, outcome: UsageOutcome, detail: string): Promise<void>;
  /** Gives up what AWS takes no more, and what another sender left without a word; gives how many hours these were. */
  abstract writeOff(): Promise<number>;
  abstract state(dimension: string): Promise<LedgerState>;
}

const COUNT = `INSERT INTO marketplace_usage AS known (dimension, hour, quantity) VALUES ($1, date_trunc('hour', now()), $2)
  ON CONFLICT (dimension, hour) DO UPDATE SET quantity = excluded.quantity
  WHERE known.quantity < excluded.quantity AND known.sender IS NULL`;

const CLAIM = `UPDATE marketplace_usage SET sender = $2 WHERE (dimension, hour) = (
    SELECT dimension, hour FROM marketplace_usage
    WHERE dimension = $1 AND outcome IS NULL AND hour < date_trunc('hour', now()) AND (sender IS NULL OR sender = $2)
    ORDER BY hour LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING dimension, hour, quantity`;

const SETTLE = `UPDATE marketplace_usage SET outcome = $3, detail = $4
  WHERE dimension = $1 AND hour = $2 AND outcome IS NULL`;

/** AWS takes an hour for six after it; the last one is left for what is under way. */
const WRITE_OFF = `UPDATE marketplace_usage SET outcome = 'Lost',
    detail = CASE WHEN sender IS NULL THEN 'Nobody could tell AWS in time' ELSE 'Its sender is gone' END
  WHERE outcome IS NULL AND hour < now() - interval '6 hours'`;

const STATE = `SELECT count(*) FILTER (WHERE outcome IS NULL AND hour < date_trunc('hour', now()))::int AS open,
    max(hour) FILTER (WHERE outcome = 'Sent') AS last_sent,
    count(*) FILTER (WHERE outcome = 'Refused')::int AS refused,
    count(*) FILTER (WHERE outcome = 'Lost')::int AS lost
  FROM marketplace_usage WHERE dimension = $1 AND hour > now() - interval '7 days'`;

interface StateRow {
  readonly open: number;
  readonly last_sent: Date | null;
  readonly refused: number;
  readonly lost: number;
}

/** In the table `marketplace_usage`, by the clock of the database. */
export class PostgresUsageLedger extends UsageLedger {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  override async count(dimension: string, quantity: number): Promise<void> {
    await this.database.execute(COUNT, [dimension, quantity]);
  }

  override async claim(dimension: string, sender: string): Promise<Usage | undefined> {
    return this.database.firstRow<{ dimension: string; hour: Date; quantity: number }>(CLAIM, [dimension, sender]);
  }

  override async settle({ dimension, hour }: Usage, outcome: UsageOutcome, detail: string): Promise<void> {
    await this.database.execute(SETTLE, [dimension, hour, outcome, detail]);
  }

  override async writeOff(): Promise<number> {
    return this.database.execute(WRITE_OFF);
  }

  override async state(dimension: string): Promise<LedgerState> {
    const row = await this.database.firstRow<StateRow>(STATE, [dimension]);
    return {
      open: row?.open ?? 0,
      lastSent: row?.last_sent ?? undefined,
      refused: row?.refused ?? 0,
      lost: row?.lost ?? 0,
    };
  }
}
