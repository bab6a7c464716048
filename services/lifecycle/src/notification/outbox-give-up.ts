import type { Database } from '@crate/database';
import { takenAt } from './last-word.js';
import type { ChannelName } from './outbox.js';

/** At once or not at all: why it ended is in the log, and it is counted once. Nothing was sent, so it is no failure in a row. */
const GIVE_UP = `WITH ended AS (
    UPDATE notification_messages AS message
    SET state = CASE WHEN attempts > 0 THEN 'Failed' ELSE 'Dropped' END, ended_at = now()
    WHERE channel_uid = $1 AND state = 'Pending' AND ${takenAt('message')} < now() - $4 * interval '1 millisecond'
      AND NOT EXISTS (SELECT FROM notification_attempts
        WHERE message_id = message.id AND outcome IS NULL AND began_at > now() - $5 * interval '1 millisecond')
    RETURNING id, attempts, outstanding),
  noted AS (
    INSERT INTO notification_attempts (message_id, attempt, outcome, took_ms, detail)
    SELECT id, attempts + 1, 'Failed', 0,
      concat('Given up: not delivered', ' to ' || array_to_string(outstanding, ', '), ' within ', $6::text)
    FROM ended WHERE attempts > 0)
  INSERT INTO notification_standings AS s (channel_uid, project, channel, failed, dropped)
  SELECT $1, $2, $3, count(*) FILTER (WHERE attempts > 0), count(*) FILTER (WHERE attempts = 0) FROM ended HAVING count(*) > 0
  ON CONFLICT (channel_uid) DO UPDATE SET failed = s.failed + excluded.failed, dropped = s.dropped + excluded.dropped`;

/** See `Outbox.giveUp`; an attempt without an end is under way for `claimMs`. */
export async function giveUp(
  database: Database,
  { uid, project, name }: ChannelName,
  { afterMs, claimMs }: { readonly afterMs: number; readonly claimMs: number },
): Promise<void> {
  await database.execute(GIVE_UP, [uid, project, name, afterMs, claimMs, hoursOf(afterMs)]);
}

function hoursOf(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours > 0 ? `${hours} h` : `${Math.round(ms / 1_000)} s`;
}
