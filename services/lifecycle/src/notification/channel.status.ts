import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  findCondition,
  mergeConditions,
  toTimestamp,
  type ConditionFact,
  type NotificationChannel,
} from '@crate/api';
import { NOTHING_SENT, type Standing } from './outbox.js';

/** What a pass knows of a channel. */
export interface ChannelFacts {
  readonly standing: Standing;
  /** Why nothing can be sent. */
  readonly hindrance?: { readonly reason: string; readonly message: string } | undefined;
}

/** What a person reads about the channel after a pass. Pure. */
export function channelStatus(
  channel: NotificationChannel,
  facts: ChannelFacts,
  now: Date,
): NonNullable<NotificationChannel['status']> {
  const { metadata, spec, status } = channel;
  const { standing } = facts;
  const conditions = [ready(facts), delivering(standing), paused(spec), deleting(channel)];
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    conditions: mergeConditions(status?.conditions, conditions, { generation, now }),
    ...(standing.lastDeliveryAt ? { lastDeliveryAt: toTimestamp(standing.lastDeliveryAt) } : {}),
    pending: standing.pending,
    failed: standing.failed,
    dropped: standing.dropped,
  };
}

/** Whether what waits goes out: nobody paused the channel, and nothing was in the way at the last pass. Pure. */
export function maySend({ spec, status }: NotificationChannel): boolean {
  return !spec.paused && findCondition(status?.conditions, 'Ready')?.status !== 'False';
}

/** Whether its last attempt did not get through; an address that is refused is that of its Project. Pure. */
export function isFailing(channel: NotificationChannel): boolean {
  const delivering = findCondition(channel.status?.conditions, 'Delivering');
  return maySend(channel) && delivering?.status === 'False' && delivering.reason === 'DeliveryFailed';
}

/**
 * Reasons: `Ready`; `SmtpNotConfigured`, `SenderNotAllowed`, `RecipientNotAllowed`, `UrlMissing`, `SecretsUnreadable` and
 * `EncryptionKeyMissing` when nothing can be sent.
 */
function ready({ hindrance }: ChannelFacts): ConditionFact {
  if (hindrance) return conditionFalse('Ready', hindrance.reason, conditionMessage(hindrance.message));
  return conditionTrue('Ready', 'Ready');
}

/**
 * Reasons: `Delivered` when the last attempt was; `RecipientRefused` or `DeliveryFailed` when it was not; `NothingSent` before the first, and
 * where all there were failed before the channel was changed.
 */
function delivering(standing: Standing): ConditionFact {
  const { failuresInARow, lastDeliveryAt, lastFailure = '', lastReason = 'DeliveryFailed' } = standing;
  if (failuresInARow > 0) return conditionFalse('Delivering', lastReason, conditionMessage(lastFailure));
  const isChanged = lastReason === NOTHING_SENT;
  if (lastDeliveryAt && !isChanged) return conditionTrue('Delivering', 'Delivered');
  const what = isChanged ? 'Nothing was sent since the channel was changed' : 'Nothing was sent yet';
  return conditionUnknown('Delivering', NOTHING_SENT, `${what}; crate notifications test sends something`);
}

function paused({ paused: isPaused }: NotificationChannel['spec']): ConditionFact {
  if (isPaused) return conditionTrue('Paused', 'Paused', 'Nothing is sent until spec.paused is set back');
  return conditionFalse('Paused', 'NotPaused', '');
}

function deleting({ metadata }: NotificationChannel): ConditionFact {
  if (metadata.deletionTimestamp) return conditionTrue('Deleting', 'DeletionRequested', 'Being removed');
  return conditionFalse('Deleting', 'NotDeleting', '');
}
