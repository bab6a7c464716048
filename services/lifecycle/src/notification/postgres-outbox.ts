import type { NotificationState } from '@crate/api';
import type { Database } from '@crate/database';
import {
  NOTHING_SENT,
  Outbox,
  type ChannelName,
  type EndedAttempt,
  type LoggedMessage,
  type Message,
  type Standing,
  type Wanted,
} from './outbox.js';
import { isOfObjectOf, placeOf, takenAt, tellsAllClear, waitsForEarlier } from './last-word.js';
import { giveUp } from './outbox-give-up.js';
import { OutboxIntake, type IntakeOptions } from './outbox-intake.js';
import { known } from './known.js';
import { loggedMessages, type AttemptRow, type MessageRow } from './outbox-rows.js';
import { SEVERITY_RANK } from './severity.js';
import type { Telling } from './telling.js';

const POSITION = 'SELECT revision::text FROM notification_position';

/**
 * The one that is due longest, unless the channel is held back. From here on its content is fixed: a receiver may have seen it. It is due
 * again when nobody says in time how it ended.
 */
const BEGIN = `UPDATE notification_messages AS message SET attempts = attempts + 1,
    due_at = now() + $2 * interval '1 millisecond'
  WHERE id = (
    SELECT id FROM notification_messages AS next WHERE channel_uid = $1 AND state = 'Pending' AND due_at <= now()
      AND NOT EXISTS (SELECT FROM notification_standings WHERE channel_uid = $1 AND held_until > now())
      AND NOT ${waitsForEarlier('next')}
    ORDER BY due_at, ${takenAt('next')} LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, content, occurrences, attempts, outstanding`;
const BEGAN = 'INSERT INTO notification_attempts (message_id, attempt) VALUES ($1, $2)';
const END_ATTEMPT = `UPDATE notification_attempts SET outcome = $3, http_status = $4, took_ms = $5, detail = $6,
    next_at = now() + $7 * interval '1 millisecond'
  WHERE message_id = $1 AND attempt = $2 AND outcome IS NULL`;
const END_MESSAGE = `UPDATE notification_messages SET
    state = CASE $2 WHEN 'Retry' THEN 'Pending' ELSE $2 END,
    due_at = CASE $2 WHEN 'Retry' THEN now() + $3 * interval '1 millisecond' ELSE due_at END,
    outstanding = COALESCE($4, outstanding),
    ended_at = CASE $2 WHEN 'Retry' THEN NULL ELSE now() END
  WHERE id = $1 AND state = 'Pending'`;
const DELIVERED = `INSERT INTO notification_standings AS s (channel_uid, project, channel, last_delivery_at)
  VALUES ($1, $2, $3, now()) ON CONFLICT (channel_uid) DO UPDATE
  SET last_delivery_at = now(), failures_in_a_row = 0, held_until = NULL, last_reason = NULL`;
const NOT_DELIVERED = `INSERT INTO notification_standings AS s
    (channel_uid, project, channel, failures_in_a_row, failed, last_failure, held_until, last_reason)
  VALUES ($1, $2, $3, 1, $4::bigint, $5, now() + $6 * interval '1 millisecond', $7)
  ON CONFLICT (channel_uid) DO UPDATE SET failures_in_a_row = s.failures_in_a_row + 1,
    failed = s.failed + excluded.failed, last_failure = excluded.last_failure, held_until = excluded.held_until,
    last_reason = excluded.last_reason`;
/** Only where nothing else says how the channel is. */
const TEST_FAILED = `INSERT INTO notification_standings AS s
    (channel_uid, project, channel, failures_in_a_row, last_failure, last_reason)
  VALUES ($1, $2, $3, 1, $4, $5)
  ON CONFLICT (channel_uid) DO UPDATE SET failures_in_a_row = 1, last_failure = excluded.last_failure,
    last_reason = excluded.last_reason
  WHERE s.failures_in_a_row = 0 AND (s.last_delivery_at IS NULL OR s.last_reason = $6)`;
const NOTE = `INSERT INTO notification_messages
    (id, channel_uid, project, channel, subject, severity, content, occurrences, state, attempts, ended_at)
  VALUES ($1, $2, $3, $4, $1, $5, $6, 1, $7, 1, now())`;
const TAKE_OVER = `UPDATE notification_messages AS message SET due_at = now()
  WHERE channel_uid = $1 AND state = 'Pending' AND due_at > now() AND EXISTS (
    SELECT FROM notification_attempts WHERE message_id = message.id AND attempt = message.attempts AND outcome IS NULL)`;
const RELEASE_CHANNEL = `UPDATE notification_standings SET held_until = NULL, failures_in_a_row = 0,
    last_reason = CASE WHEN failures_in_a_row > 0 THEN $2 ELSE last_reason END
  WHERE channel_uid = $1`;
const RELEASE_MESSAGES = `UPDATE notification_messages SET due_at = now()
  WHERE channel_uid = $1 AND state = 'Pending' AND attempts > 0 AND due_at > now()`;
const STANDING = `SELECT failed::int, dropped::int, failures_in_a_row, last_delivery_at, last_failure, last_reason,
    EXTRACT(EPOCH FROM held_until - now())::float8 * 1000 AS held_ms
  FROM notification_standings WHERE channel_uid = $1`;
/** What waits for another message is due when that one has ended. */
const WAITING = `SELECT count(*)::int AS pending,
    EXTRACT(EPOCH FROM min(due_at) FILTER (WHERE NOT ${waitsForEarlier('message')}) - now())::float8 * 1000 AS next_ms
  FROM notification_messages AS message WHERE channel_uid = $1 AND state = 'Pending'`;
const LOG = `SELECT id, state, content, occurrences, created_at, due_at FROM notification_messages
  WHERE channel_uid = $1 AND ($3::text IS NULL OR state = $3) ORDER BY created_at DESC, id LIMIT $2`;
const ATTEMPTS = `SELECT message_id, attempt, began_at, outcome, http_status, took_ms, detail, next_at
  FROM notification_attempts WHERE message_id = ANY($1) ORDER BY message_id, attempt`;
const OWNERS = `SELECT channel_uid AS uid FROM notification_messages WHERE project = $1 AND channel = $2
  UNION SELECT channel_uid FROM notification_standings WHERE project = $1 AND channel = $2`;
const FORGET = [
  'DELETE FROM notification_messages WHERE channel_uid = ANY($1)',
  'DELETE FROM notification_standings WHERE channel_uid = ANY($1)',
  'DELETE FROM notification_told WHERE channel_uid = ANY($1)',
];
const DUE = `SELECT DISTINCT project AS namespace, channel AS name FROM notification_messages
  WHERE state = 'Pending' AND project = ANY($1) AND due_at <= now()`;
/**
 * Spares the last that a channel told of an object that was not well, up to a limit, as long as it has not told that it is: without it, it
 * never would. The oldest first, so that no all-clear goes before what it ends.
 */
const CLEAN = `DELETE FROM notification_messages WHERE id IN (
  SELECT id FROM notification_messages AS old
  WHERE state <> 'Pending' AND ended_at < now() - $1 * interval '1 millisecond'
    AND (severity < $2 OR state = 'Dropped' OR ended_at < now() - $3 * interval '1 millisecond' OR EXISTS (
      SELECT FROM notification_messages AS later
      WHERE later.channel_uid = old.channel_uid AND ${placeOf('later')} > ${placeOf('old')}
        AND ${isOfObjectOf('later', 'old')}
        AND later.state <> 'Dropped' AND (later.severity >= $2 OR ${tellsAllClear('later')})))
  ORDER BY ended_at LIMIT 500)`;
/** Objects that are gone will never be well. */
const TROUBLE_KEPT_MS = 90 * 86_400_000;
const CLEAN_TOLD = `DELETE FROM notification_told WHERE told_at < now() - $1 * interval '1 millisecond'`;
/** At least; and as long as events are kept, since one whose copy is made anew would be news. */
const TOLD_KEPT_MS = 7 * 86_400_000;
const BACKLOG = `SELECT count(*)::int AS pending,
    COALESCE(EXTRACT(EPOCH FROM now() - min(created_at))::float8 * 1000, 0) AS oldest_ms
  FROM notification_messages WHERE state = 'Pending' AND channel_uid <> ALL($1)`;

interface StandingRow {
  readonly failed: number;
  readonly dropped: number;
  readonly failures_in_a_row: number;
  readonly last_delivery_at: Date | null;
  readonly last_failure: string | null;
  readonly last_reason: string | null;
  readonly held_ms: number | null;
}

interface BegunRow {
  readonly id: string;
  readonly content: Telling;
  readonly occurrences: number;
  readonly attempts: number;
  readonly outstanding: readonly string[] | null;
}

export interface OutboxOptions extends IntakeOptions {
  /** How long a process may take to say how an attempt ended, before another one begins the next. */
  readonly claimMs: number;
  /** How long an event is there after it happened last. */
  readonly eventsKeptMs: number;
}

/** Keeps it in the schema of the service. */
export class PostgresOutbox extends Outbox {
  private readonly intake: OutboxIntake;

  constructor(
    private readonly database: Database,
    private readonly options: OutboxOptions,
  ) {
    super();
    this.intake = new OutboxIntake(database, options);
  }

  async position(): Promise<string | undefined> {
    return (await this.database.firstRow<{ revision: string }>(POSITION))?.revision;
  }

  take(from: string | undefined, to: string, wanted: readonly Wanted[]): Promise<number | false> {
    return this.intake.take(from, to, wanted);
  }

  async begin(channelUid: string): Promise<Message | undefined> {
    return this.database.transaction(async (transaction) => {
      const row = await transaction.firstRow<BegunRow>(BEGIN, [channelUid, this.options.claimMs]);
      if (!row) return undefined;
      const { id, content: telling, occurrences, attempts: attempt, outstanding } = row;
      await transaction.execute(BEGAN, [id, attempt]);
      return { id, telling, occurrences, attempt, ...known({ outstanding }) };
    });
  }

  async end(channel: ChannelName, { id, attempt }: Pick<Message, 'id' | 'attempt'>, how: EndedAttempt): Promise<void> {
    const { kind, httpStatus, detail, tookMs, pauses, outstanding } = how;
    const again = kind === 'Retry' ? (pauses?.messageMs ?? 0) : undefined;
    await this.database.transaction(async (transaction) => {
      const values = [id, attempt, kind, httpStatus ?? null, Math.round(tookMs), detail ?? null, again ?? null];
      if ((await transaction.execute(END_ATTEMPT, values)) === 0) return;
      await transaction.execute(END_MESSAGE, [id, kind, again ?? null, outstanding ?? null]);
      const { uid, project, name } = channel;
      if (kind === 'Delivered') return void (await transaction.execute(DELIVERED, [uid, project, name]));
      await transaction.execute(NOT_DELIVERED, [uid, project, name, ...failureOf(how)]);
    });
  }

  async note(
    { uid, project, name }: ChannelName,
    { id, telling }: Pick<Message, 'id' | 'telling'>,
    how: EndedAttempt,
  ): Promise<void> {
    const state = how.kind === 'Delivered' ? 'Delivered' : 'Failed';
    await this.database.transaction(async (transaction) => {
      const rank = SEVERITY_RANK[telling.severity];
      await transaction.execute(NOTE, [id, uid, project, name, rank, JSON.stringify(telling), state]);
      await transaction.execute(BEGAN, [id, 1]);
      const values = [id, 1, state, how.httpStatus ?? null, Math.round(how.tookMs), how.detail ?? null, null];
      await transaction.execute(END_ATTEMPT, values);
      if (state === 'Delivered') return void (await transaction.execute(DELIVERED, [uid, project, name]));
      // One that failed is no reason to hold back what waits.
      const { detail = how.kind, reason = null } = how;
      await transaction.execute(TEST_FAILED, [uid, project, name, detail, reason, NOTHING_SENT]);
    });
  }

  giveUp(channel: ChannelName, afterMs: number): Promise<void> {
    return giveUp(this.database, channel, { afterMs, claimMs: this.options.claimMs });
  }

  async takeOver(channelUid: string): Promise<void> {
    await this.database.execute(TAKE_OVER, [channelUid]);
  }

  async release(channelUid: string): Promise<void> {
    await this.database.execute(RELEASE_CHANNEL, [channelUid, NOTHING_SENT]);
    await this.database.execute(RELEASE_MESSAGES, [channelUid]);
  }

  async standing(channelUid: string): Promise<Standing> {
    const row = await this.database.firstRow<StandingRow>(STANDING, [channelUid]);
    const waiting = await this.database.firstRow<{ pending: number; next_ms: number | null }>(WAITING, [channelUid]);
    const nextMs = waiting?.next_ms ?? undefined;
    return {
      ...numbersOf(row),
      pending: waiting?.pending ?? 0,
      ...known({
        lastDeliveryAt: row?.last_delivery_at,
        lastFailure: row?.last_failure,
        lastReason: row?.last_reason,
        nextInMs: nextMs === undefined ? undefined : Math.max(0, nextMs, row?.held_ms ?? 0),
      }),
    };
  }

  async log(channelUid: string, limit: number, state?: NotificationState): Promise<readonly LoggedMessage[]> {
    const messages = await this.database.rows<MessageRow>(LOG, [channelUid, limit, state ?? null]);
    const attempts = await this.database.rows<AttemptRow>(ATTEMPTS, [messages.map(({ id }) => id)]);
    return loggedMessages(messages, attempts);
  }

  async owners(project: string, name: string): Promise<readonly string[]> {
    return (await this.database.rows<{ uid: string }>(OWNERS, [project, name])).map(({ uid }) => uid);
  }

  async forget(channelUids: readonly string[]): Promise<void> {
    for (const statement of FORGET) await this.database.execute(statement, [channelUids]);
  }

  async due(projects: readonly string[]): Promise<readonly { readonly namespace: string; readonly name: string }[]> {
    return this.database.rows(DUE, [projects]);
  }

  async clean(keepMs: number): Promise<number> {
    await this.database.execute(CLEAN_TOLD, [Math.max(keepMs, TOLD_KEPT_MS, this.options.eventsKeptMs)]);
    for (let removed = 0; ;) {
      const now = await this.database.execute(CLEAN, [keepMs, SEVERITY_RANK.Warning, TROUBLE_KEPT_MS]);
      removed += now;
      if (now === 0) return removed;
    }
  }

  async backlog(exceptUids: readonly string[]): Promise<{ readonly pending: number; readonly oldestAgeMs: number }> {
    const row = await this.database.firstRow<{ pending: number; oldest_ms: number }>(BACKLOG, [exceptUids]);
    return { pending: row?.pending ?? 0, oldestAgeMs: row?.oldest_ms ?? 0 };
  }
}

function failureOf({ kind, detail = kind, pauses, reason }: EndedAttempt): readonly unknown[] {
  return [kind === 'Failed' ? 1 : 0, detail, pauses?.channelMs ?? 0, reason ?? null];
}

function numbersOf(row: StandingRow | undefined): Pick<Standing, 'failed' | 'dropped' | 'failuresInARow'> {
  if (!row) return { failed: 0, dropped: 0, failuresInARow: 0 };
  return { failed: row.failed, dropped: row.dropped, failuresInARow: row.failures_in_a_row };
}
