import type { NotificationState } from '@crate/api';
import type { Telling } from './telling.js';

/** Names a channel: the very one, and where it is found. */
export interface ChannelName {
  readonly uid: string;
  readonly project: string;
  readonly name: string;
}

/** An occurrence that a channel wants to hear of. */
export interface Wanted {
  readonly channel: ChannelName;
  /** See `ToldEvent`. */
  readonly eventId: string;
  readonly subject: string;
  readonly telling: Telling;
  /** Only when the channel told a Warning or worse of the object since it last told this. */
  readonly isAfterTrouble?: boolean;
}

/** A message that is being delivered: nothing of it changes any more. */
export interface Message {
  readonly id: string;
  readonly telling: Telling;
  /** How often it happened since the message before. */
  readonly occurrences: number;
  /** The attempt that has begun, from 1. */
  readonly attempt: number;
  /** Who of several has not taken it yet; absent: all are asked. */
  readonly outstanding?: readonly string[];
}

/** How an attempt ended. */
export interface Outcome {
  readonly kind: 'Delivered' | 'Retry' | 'Failed';
  readonly httpStatus?: number;
  /** For people. Holds no secret. */
  readonly detail?: string;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number;
  /** Who of several has not taken it, to be asked again; others have it. */
  readonly outstanding?: readonly string[];
  /** Of the condition of the channel, where it says more than that delivery failed. */
  readonly reason?: 'RecipientRefused';
}

/** An outcome with what it took, and for how long to wait now. */
export interface EndedAttempt extends Outcome {
  readonly tookMs: number;
  /** Until this message is tried again, and until any of the channel is. */
  readonly pauses?: { readonly messageMs: number; readonly channelMs: number };
}

/** Reason of a channel that failed before it was changed, and has sent nothing since. */
export const NOTHING_SENT = 'NothingSent';

/** How deliveries of a channel go. */
export interface Standing {
  readonly pending: number;
  readonly failed: number;
  readonly dropped: number;
  readonly failuresInARow: number;
  readonly lastDeliveryAt?: Date;
  readonly lastFailure?: string;
  /** Of that failure, where it says more than that delivery failed; `NOTHING_SENT` without one. */
  readonly lastReason?: string;
  /** Until something is to be sent; undefined when nothing waits. */
  readonly nextInMs?: number;
}

/** One attempt as the log has it. */
export interface LoggedAttempt {
  readonly attempt: number;
  readonly beganAt: Date;
  readonly kind?: Outcome['kind'];
  readonly httpStatus?: number;
  readonly tookMs?: number;
  readonly detail?: string;
  readonly nextAt?: Date;
}

/** One message as the log has it. */
export interface LoggedMessage {
  readonly id: string;
  readonly state: NotificationState;
  readonly telling: Telling;
  readonly occurrences: number;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly attempts: readonly LoggedAttempt[];
}

/** What channels have to tell and what they told, for all replicas. All times are those of its own clock. */
export abstract class Outbox {
  /** The change of the events' log up to which all was taken; undefined before the first time. */
  abstract position(): Promise<string | undefined>;
  /**
   * Takes what is wanted of the changes between two positions, and has its channels looked at; at once or not at all. False
   * when somebody else went on from `from` first: then nothing is taken. Gives how many messages were dropped, otherwise.
   */
  abstract take(from: string | undefined, to: string, wanted: readonly Wanted[]): Promise<number | false>;
  /**
   * Begins the next attempt of a channel; undefined while there is nothing to send, or nothing may be. Of one object trouble and its end
   * are begun in the order in which they happened. Nobody else begins one of the same
   * message until it ended, the process had its time to say so, or it was taken over.
   */
  abstract begin(channelUid: string): Promise<Message | undefined>;
  /** Notes how an attempt ended. An attempt that was ended already is left as it is. */
  abstract end(channel: ChannelName, message: Pick<Message, 'id' | 'attempt'>, how: EndedAttempt): Promise<void>;
  /**
   * Keeps a message whose only attempt was made already, for the log. One that arrived says how the channel is, as others do; one that did
   * not only where nothing else says it, and holds nothing back.
   */
  abstract note(channel: ChannelName, message: Pick<Message, 'id' | 'telling'>, how: EndedAttempt): Promise<void>;
  /**
   * Ends what waits for longer than that since what it tells was taken last: an outage before that makes no message old. What was tried
   * has failed, what was not is dropped; how the receiver is does not change by it. Leaves alone what is being delivered. Idempotent.
   */
  abstract giveUp(channel: ChannelName, afterMs: number): Promise<void>;
  /**
   * Makes due what was under way of a channel: only for who holds its lease, as nobody is to say any more how it ended. A process that
   * lost the lease and lives may have sent it, or do so yet: then it comes twice, under one id. Leaves alone what waits for a next
   * attempt. Idempotent.
   */
  abstract takeOver(channelUid: string): Promise<void>;
  /** Tries now what waits for a next attempt, and forgets that others failed: the channel may be another one by now. Idempotent. */
  abstract release(channelUid: string): Promise<void>;
  abstract standing(channelUid: string): Promise<Standing>;
  /** The newest messages first. */
  abstract log(channelUid: string, limit: number, state?: NotificationState): Promise<readonly LoggedMessage[]>;
  /** Uids of all channels by the name that something is kept of, also of ones that are gone. */
  abstract owners(project: string, name: string): Promise<readonly string[]>;
  /** Forgets all that is kept of the channels. Idempotent. */
  abstract forget(channelUids: readonly string[]): Promise<void>;
  /** Channels of the Projects that have something to send now. */
  abstract due(projects: readonly string[]): Promise<readonly { readonly namespace: string; readonly name: string }[]>;
  /** Takes away what ended longer ago, a few at a time. Gives how many went. */
  abstract clean(keepMs: number): Promise<number>;
  /** Over all channels but these, for metrics. */
  abstract backlog(exceptUids: readonly string[]): Promise<{ readonly pending: number; readonly oldestAgeMs: number }>;
}
