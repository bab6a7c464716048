import { SEVERITY_RANK } from './severity.js';
import { ALL_CLEARS } from './telling.js';

/*
 * What a receiver was told last of an object is how the object is. So trouble and its end go out in the order in which they happened,
 * whatever pauses their own subjects keep; what was taken back before anybody was told goes. What happened when is what events say: they
 * come from several services, and are taken in another order.
 */

const OF_TROUBLE = `severity >= ${SEVERITY_RANK.Warning}`;
/** SQL: the object that a message is about. */
export const objectOf = (message: string): string => `split_part(${message}.subject, ' ', 1)`;
/** SQL: whether a message is about the object of another one: a range of subjects, for which there is an index. `!` comes after the blank. */
export const isOfObjectOf = (message: string, other: string): string =>
  `${message}.subject >= ${objectOf(other)} || ' ' AND ${message}.subject < ${objectOf(other)} || '!'`;
/** SQL: whether a message tells that its object is well, see `isAllClear`. */
export const tellsAllClear = (message: string): string =>
  `substr(${message}.subject, strpos(${message}.subject, ' ')) IN (${ALL_CLEARS.map((rest) => `' ${rest}'`).join(', ')})`;

/** SQL: when what a message tells happened last, as the event has it. */
export const toldAt = (message: string): string => `(${message}.content ->> 'lastAt')::timestamptz`;
/** SQL: when what a message tells was taken last; rows from before that was noted have it of when they were made. */
export const takenAt = (message: string): string => `COALESCE(${message}.happened_at, ${message}.created_at)`;
/** SQL: where a message stands in the order; of one moment what was taken first is first. */
export const placeOf = (message: string): string => `ROW(${toldAt(message)}, ${takenAt(message)})`;

/** SQL: whether a message has to wait for one of the other sort about the same object that happened earlier. */
export const waitsForEarlier = (message: string): string => `EXISTS (
    SELECT FROM notification_messages AS earlier
    WHERE earlier.channel_uid = ${message}.channel_uid AND earlier.state = 'Pending'
      AND ${placeOf('earlier')} < ${placeOf(message)} AND ${objectOf('earlier')} = ${objectOf(message)}
      AND (earlier.${OF_TROUBLE} AND ${tellsAllClear(message)} OR ${message}.${OF_TROUBLE} AND ${tellsAllClear('earlier')}))`;

/** SQL: whether a channel sent after trouble that it is over: a message by the subject that tells so. */
export const isSentToBeOver = (trouble: string, subject: string): string => `EXISTS (
    SELECT FROM notification_messages AS over
    WHERE over.channel_uid = ${trouble}.channel_uid AND over.subject = ${subject} AND over.attempts > 0
      AND ${placeOf('over')} > ${placeOf(trouble)})`;

/** SQL: one row of the trouble that a message ends, empty where it ends none. */
export const troubleEndedBy = (message: string): string => `(
    SELECT max(severity) AS severity, bool_or(attempts > 0) AS is_told, max(created_at) AS created_at
    FROM notification_messages AS trouble
    WHERE ${tellsAllClear(message)} AND trouble.channel_uid = ${message}.channel_uid AND ${isOfObjectOf('trouble', message)}
      AND trouble.${OF_TROUBLE} AND trouble.state <> 'Dropped' AND ${placeOf('trouble')} < ${placeOf(message)}
      AND NOT ${isSentToBeOver('trouble', `${message}.subject`)})`;

/** Of a channel, the beginning of subjects and the time of trouble: that the object is well is not so any more, and nobody was told. */
export const TAKE_BACK_ALL_CLEAR = `DELETE FROM notification_messages AS message
  WHERE channel_uid = $1 AND starts_with(subject, $2) AND state = 'Pending' AND attempts = 0 AND ${tellsAllClear('message')}
    AND ${toldAt('message')} <= $3`;

/** Of a channel and the beginning of subjects: trouble that nobody was told of holds up its end no longer. */
export const HURRY_TROUBLE = `UPDATE notification_messages AS trouble SET due_at = LEAST(trouble.due_at, over.due_at)
  FROM notification_messages AS over
  WHERE over.channel_uid = $1 AND starts_with(over.subject, $2) AND ${tellsAllClear('over')} AND over.state = 'Pending' AND over.attempts = 0
    AND trouble.channel_uid = $1 AND starts_with(trouble.subject, $2) AND trouble.${OF_TROUBLE}
    AND trouble.state = 'Pending' AND trouble.attempts = 0`;

/** Of a channel and the beginning of subjects: the message that the object is well, where nothing happened after it and it was sent already. */
export const SENT_ALL_CLEAR = `SELECT content AS telling FROM (
    SELECT content, subject, attempts FROM notification_messages AS message
    WHERE channel_uid = $1 AND starts_with(subject, $2) AND state <> 'Dropped' AND (${OF_TROUBLE} OR ${tellsAllClear('message')})
    ORDER BY ${placeOf('message')} DESC LIMIT 1) AS last
  WHERE attempts > 0 AND ${tellsAllClear('last')}`;
