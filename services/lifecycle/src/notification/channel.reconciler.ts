import { isConditionTrue, type NotificationChannel } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  isStillThere,
  recordPass,
  Reconciler,
  removeFinalizer,
  saveStatusIfChanged,
  settled,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { NOTIFICATION_CHANNEL_FINALIZER } from './channel.admission.js';
import { CHANNEL_TELLINGS } from './channel.events.js';
import type { ChannelSecretStore } from './channel-secrets.js';
import type { ChannelSender } from './channel-sender.js';
import { channelStatus } from './channel.status.js';
import type { ChannelName, Outbox } from './outbox.js';
import { retryPauses, type RetryOptions } from './retry-pauses.js';

export interface ChannelReconcilerParts {
  readonly channels: TypedClient<NotificationChannel>;
  readonly outbox: Outbox;
  readonly secrets: ChannelSecretStore;
  readonly sender: ChannelSender;
  readonly events: EventRecorder;
  readonly retry: RetryOptions;
  /** A message that is older is given up. */
  readonly giveUpAfterMs: number;
  readonly now?: () => Date;
}

/** Name of the queue that channels are worked on from. */
export const CHANNEL_RECONCILER = 'notification-channel';

/** Then others have their turn; below the deadline of a pass by more than an attempt takes. */
const TURN_MS = 20_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const KEY_LOOK_MS = 60_000;

/**
 * Delivers what a channel has to tell, one message after the other. The engine sees to it that one pass at a time does so, whichever
 * replica it is in, and that another one goes on where it was killed.
 */
export class ChannelReconciler extends Reconciler {
  override readonly name = CHANNEL_RECONCILER;
  private readonly now: () => Date;

  constructor(private readonly parts: ChannelReconcilerParts) {
    super();
    this.now = parts.now ?? (() => new Date());
  }

  override async reconcile({ name, namespace }: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const { channels, outbox } = this.parts;
    // Read first: whatever belongs to a channel made after this was read is not among them.
    const owners = await outbox.owners(namespace, name);
    const found = await channels.find(name, namespace);
    const others = owners.filter((uid) => uid !== found?.metadata.uid);
    if (others.length > 0) await outbox.forget(others);
    if (!found) return gone;
    if (found.metadata.deletionTimestamp) return this.tearDown(found);
    return this.work(await ensureFinalizer(channels, found, NOTIFICATION_CHANNEL_FINALIZER), context);
  }

  private async tearDown(channel: NotificationChannel): Promise<Outcome> {
    const { channels, outbox, secrets } = this.parts;
    await outbox.forget([channel.metadata.uid]);
    // They are kept by name: a pass that was overtaken must not take those of the next channel of that name.
    if (!(await isStillThere(channels, channel))) return settled;
    await secrets.removeAll(channel.metadata);
    await removeFinalizer(channels, channel, NOTIFICATION_CHANNEL_FINALIZER);
    return settled;
  }

  private async work(channel: NotificationChannel, context: ReconcileContext): Promise<Outcome> {
    const { sender, outbox, secrets, giveUpAfterMs } = this.parts;
    const { uid } = channel.metadata;
    await this.hasten(channel);
    const hindrance = await sender.hindrance(channel);
    // Also while nothing may be sent: it would fail in one go afterwards.
    await outbox.giveUp(nameOf(channel), giveUpAfterMs);
    if (!hindrance && !channel.spec.paused) await this.deliverAll(channel, context);
    const standing = await outbox.standing(uid);
    await this.record(channel, { standing, hindrance }, context);
    await secrets.removeReplaced(channel);
    // A key that is put back tells nobody.
    if (hindrance?.reason === 'EncryptionKeyMissing') return waiting(hindrance.reason, KEY_LOOK_MS);
    if (standing.nextInMs === undefined || hindrance || channel.spec.paused) return settled;
    return waiting('WaitingForNextAttempt', Math.min(standing.nextInMs, LONGEST_WAIT_MS));
  }

  private async hasten({ metadata: { uid, generation }, status }: NotificationChannel): Promise<void> {
    const { outbox } = this.parts;
    // In every pass: one that is told that the one before it died may itself fail before it gets here.
    await outbox.takeOver(uid);
    // What a person has just changed may be what was in the way.
    if ((status?.observedGeneration ?? 0) < generation) await outbox.release(uid);
  }

  /** Stops when nothing is due, and when the receiver is away: the outbox holds the channel back then. */
  private async deliverAll(channel: NotificationChannel, context: ReconcileContext): Promise<void> {
    const { outbox, sender } = this.parts;
    const name = nameOf(channel);
    const until = this.now().getTime() + TURN_MS;
    let { failuresInARow } = await outbox.standing(name.uid);
    while (this.now().getTime() < until && !context.remoteSignal.aborted) {
      const message = await outbox.begin(name.uid);
      if (!message) return;
      const how = await sender.send(channel, message, context.remoteSignal);
      failuresInARow = how.kind === 'Delivered' ? 0 : failuresInARow + 1;
      const pauses = retryPauses(how, { ofMessage: message.attempt, inARow: failuresInARow }, this.parts.retry);
      // What is final for one message says nothing about the next.
      await outbox.end(name, message, how.kind === 'Failed' ? how : { ...how, pauses });
    }
  }

  private async record(
    before: NotificationChannel,
    facts: Parameters<typeof channelStatus>[1],
    { traceId }: ReconcileContext,
  ): Promise<void> {
    const { channels, events } = this.parts;
    const after = await saveStatusIfChanged(channels, before, channelStatus(before, facts, this.now()));
    const wasReported = isConditionTrue(before.status?.conditions, 'Delivering') || facts.standing.failuresInARow > 0;
    if (wasReported || facts.hindrance) {
      recordPass(events, CHANNEL_TELLINGS, { before, after, pass: { ok: true, outcome: settled }, traceId });
    }
  }
}

/** The very channel, and where it is found. */
export function nameOf({ metadata: { uid, name, namespace = '' } }: NotificationChannel): ChannelName {
  return { uid, name, project: namespace };
}
