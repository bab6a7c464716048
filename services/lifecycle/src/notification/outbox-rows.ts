import type { NotificationState } from '@crate/api';
import { known } from './known.js';
import type { LoggedAttempt, LoggedMessage, Outcome } from './outbox.js';
import type { Telling } from './telling.js';

/** A message as it is stored. */
export interface MessageRow {
  readonly id: string;
  readonly state: NotificationState;
  readonly content: Telling;
  readonly occurrences: number;
  readonly created_at: Date;
  readonly due_at: Date;
}

/** An attempt as it is stored. */
export interface AttemptRow {
  readonly message_id: string;
  readonly attempt: number;
  readonly began_at: Date;
  readonly outcome: Outcome['kind'] | null;
  readonly http_status: number | null;
  readonly took_ms: number | null;
  readonly detail: string | null;
  readonly next_at: Date | null;
}

/** Messages with their attempts, in the order of the messages. */
export function loggedMessages(
  messages: readonly MessageRow[],
  attempts: readonly AttemptRow[],
): readonly LoggedMessage[] {
  const byMessage = new Map<string, LoggedAttempt[]>(messages.map(({ id }) => [id, []]));
  for (const row of attempts) byMessage.get(row.message_id)?.push(loggedAttempt(row));
  return messages.map(({ id, state, content, occurrences, created_at: createdAt, due_at: dueAt }) => ({
    id,
    state,
    telling: content,
    occurrences,
    createdAt,
    dueAt,
    attempts: byMessage.get(id) ?? [],
  }));
}

function loggedAttempt(row: AttemptRow): LoggedAttempt {
  const { attempt, began_at: beganAt, outcome: kind, http_status: httpStatus } = row;
  const { took_ms: tookMs, detail, next_at: nextAt } = row;
  return { attempt, beganAt, ...known({ kind, httpStatus, tookMs, detail, nextAt }) };
}
