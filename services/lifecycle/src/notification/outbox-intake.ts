import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '@crate/database';
import type { ChannelName, Wanted } from './outbox.js';
import { SEVERITY_RANK } from './severity.js';
import {
  HURRY_TROUBLE,
  isSentToBeOver,
  objectOf,
  SENT_ALL_CLEAR,
  TAKE_BACK_ALL_CLEAR,
  tellsAllClear,
  toldAt,
  troubleEndedBy,
} from './last-word.js';
import { isAllClear, subjectOf, subjectPrefixOf, type Telling } from './telling.js';

export interface IntakeOptions {
  /** Name of the reconciler that delivers. */
  readonly reconciler: string;
  /** Shortest pause between messages of one subject. */
  readonly repeatMs: number;
  /** Messages of one channel that may wait. */
  readonly queueLength: number;
}

/** Of all who read the same changes one gets on. The row is locked until the end: takers come one after the other. */
const MOVE = 'UPDATE notification_position SET revision = $2 WHERE revision = $1';
const START = 'INSERT INTO notification_position (revision) VALUES ($1) ON CONFLICT DO NOTHING';

/** How often it had happened when the channel took it last. The column holds `ToldEvent.eventId`. */
const TOLD = 'SELECT event_count AS count FROM notification_told WHERE channel_uid = $1 AND event_uid = $2';
const TELL = `INSERT INTO notification_told (channel_uid, event_uid, event_count) VALUES ($1, $2, $3)
  ON CONFLICT (channel_uid, event_uid) DO UPDATE SET event_count = excluded.event_count, told_at = now()`;
/** A channel told that an object is not well, and has not told that it is since that happened. What was dropped was told to nobody, and what was not tried yet will be. */
const TROUBLE = `SELECT 1 FROM notification_messages AS trouble WHERE channel_uid = $1 AND starts_with(subject, $2) AND severity >= $4
    AND state <> 'Dropped' AND NOT ${isSentToBeOver('trouble', '$3')} LIMIT 1`;
/** What nobody was sent yet takes in what happens meanwhile, in the words of what happened last. */
const MERGE = `UPDATE notification_messages AS message SET occurrences = occurrences + $4, happened_at = clock_timestamp(),
    content = CASE WHEN ${toldAt('message')} > $5 THEN content ELSE $3 END
  WHERE channel_uid = $1 AND subject = $2 AND state = 'Pending' AND attempts = 0`;
const ADD = `INSERT INTO notification_messages
    (id, channel_uid, project, channel, subject, severity, content, occurrences, due_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, GREATEST(now(), now() + (
      SELECT max(COALESCE(ended_at, due_at)) - now() + $9 * interval '1 millisecond' FROM notification_messages
      WHERE channel_uid = $2 AND subject = $5 AND state <> 'Dropped'))`;
/**
 * The least severe, the oldest of it. That trouble is over is as severe as the trouble: it goes right behind it, or after all others where a
 * receiver may know of the trouble. What is found may be taken out to be sent before it is locked: the outer conditions are looked at once
 * more then.
 */
const DROP = `UPDATE notification_messages SET state = 'Dropped', ended_at = now() WHERE id IN (
    SELECT id FROM notification_messages AS message, LATERAL ${troubleEndedBy('message')} AS ended
    WHERE channel_uid = $1 AND state = 'Pending' AND attempts = 0
    ORDER BY GREATEST(message.severity, ended.severity), COALESCE(is_told, false), COALESCE(ended.created_at, message.created_at),
      ${objectOf('message')}, ${tellsAllClear('message')}, id
    LIMIT GREATEST(0, $2::int - $3::int)) AND state = 'Pending' AND attempts = 0`;
const PENDING = `SELECT count(*)::int AS count FROM notification_messages WHERE channel_uid = $1 AND state = 'Pending'`;
const COUNT_DROPPED = `INSERT INTO notification_standings AS s (channel_uid, project, channel, dropped)
  VALUES ($1, $2, $3, $4) ON CONFLICT (channel_uid) DO UPDATE SET dropped = s.dropped + excluded.dropped`;
const WAKE = 'SELECT enqueue_work($1, $2, $3)';

/** Puts what happened into the queues of channels: each occurrence once, whoever sees it, and however often. */
export class OutboxIntake {
  constructor(
    private readonly database: Database,
    private readonly options: IntakeOptions,
  ) {}

  /** See `Outbox.take`. */
  async take(from: string | undefined, to: string, wanted: readonly Wanted[]): Promise<number | false> {
    return this.database.transaction(async (transaction) => {
      const moved = await (from === undefined
        ? transaction.execute(START, [to])
        : transaction.execute(MOVE, [from, to]));
      if (moved === 0) return false;
      for (const each of inOrder(wanted)) await this.add(transaction, each);
      let dropped = 0;
      for (const channel of channelsOf(wanted)) {
        dropped += await this.bound(transaction, channel);
        await transaction.execute(WAKE, [this.options.reconciler, channel.project, channel.name]);
      }
      return dropped;
    });
  }

  private async add(transaction: Transaction, wanted: Wanted): Promise<void> {
    const { channel, eventId, telling } = wanted;
    const { uid } = channel;
    const told = (await transaction.firstRow<{ count: number }>(TOLD, [uid, eventId]))?.count;
    if (told !== undefined && told >= telling.count) return;
    await transaction.execute(TELL, [uid, eventId, telling.count]);
    // Noted before: seen again after there was trouble it would be no end of that.
    if (wanted.isAfterTrouble && !(await this.toldTrouble(transaction, wanted))) return;
    // Of an event that is new to the channel only its last occurrence is: how often it happened before is in its count.
    const occurrences = told === undefined ? 1 : telling.count - told;
    const about = [uid, subjectPrefixOf(telling)];
    const isTrouble = SEVERITY_RANK[telling.severity] >= SEVERITY_RANK.Warning;
    if (isTrouble) await transaction.execute(TAKE_BACK_ALL_CLEAR, [...about, telling.lastAt]);
    await this.queue(transaction, wanted, occurrences);
    if (isTrouble) await this.endAgain(transaction, wanted);
    if (isTrouble || isAllClear(telling)) await transaction.execute(HURRY_TROUBLE, about);
  }

  /** Trouble that was over before it was heard of is not the last word. */
  private async endAgain(transaction: Transaction, wanted: Wanted): Promise<void> {
    const about = [wanted.channel.uid, subjectPrefixOf(wanted.telling)];
    const telling = (await transaction.firstRow<{ telling: Telling }>(SENT_ALL_CLEAR, about))?.telling;
    if (telling) await this.queue(transaction, { ...wanted, subject: subjectOf(telling), telling }, 1);
  }

  private async queue(transaction: Transaction, wanted: Wanted, occurrences: number): Promise<void> {
    const { channel, subject, telling } = wanted;
    const { uid, project, name } = channel;
    const content = JSON.stringify(telling);
    if ((await transaction.execute(MERGE, [uid, subject, content, occurrences, telling.lastAt])) > 0) return;
    const what = [subject, SEVERITY_RANK[telling.severity], content, occurrences, this.options.repeatMs];
    await transaction.execute(ADD, [randomUUID(), uid, project, name, ...what]);
  }

  private async toldTrouble(transaction: Transaction, { channel, subject, telling }: Wanted): Promise<boolean> {
    const about = [channel.uid, subjectPrefixOf(telling), subject, SEVERITY_RANK.Warning];
    return (await transaction.firstRow(TROUBLE, about)) !== undefined;
  }

  private async bound(transaction: Transaction, { uid, project, name }: ChannelName): Promise<number> {
    const pending = (await transaction.firstRow<{ count: number }>(PENDING, [uid]))?.count ?? 0;
    if (pending <= this.options.queueLength) return 0;
    const dropped = await transaction.execute(DROP, [uid, pending, this.options.queueLength]);
    if (dropped > 0) await transaction.execute(COUNT_DROPPED, [uid, project, name, dropped]);
    return dropped;
  }
}

/** As it happened: of an object that changed several times the changes are not. */
function inOrder(wanted: readonly Wanted[]): readonly Wanted[] {
  return wanted.toSorted((left, right) => Date.parse(left.telling.lastAt) - Date.parse(right.telling.lastAt));
}

function channelsOf(wanted: readonly Wanted[]): readonly ChannelName[] {
  return [...new Map(wanted.map(({ channel }) => [channel.uid, channel])).values()];
}
