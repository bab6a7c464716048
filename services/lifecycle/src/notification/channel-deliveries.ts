import { randomUUID } from 'node:crypto';
import {
  apiVersionOf,
  NOTIFICATION_CHANNEL,
  NOTIFICATION_STATES,
  type KubeObject,
  type NotificationAttempt,
  type NotificationChannel,
  type NotificationDeliveries,
  type NotificationDelivery,
  type NotificationState,
  type NotificationTest,
} from '@crate/api';
import { badRequest, conflict } from '@crate/errors';
import type { CallContext, ResourceRef, SubresourceQuery, SubresourceWrite } from '@crate/resource-client';
import type { SubresourceHandler } from '@crate/resource-server';
import { nameOf } from './channel.reconciler.js';
import type { ChannelSender } from './channel-sender.js';
import { cloudEventType } from './delivery/cloud-event.js';
import type { ChannelName, EndedAttempt, LoggedAttempt, LoggedMessage, Outbox } from './outbox.js';
import type { Telling } from './telling.js';

const DEFAULT_LIMIT = 50;
const MOST = 500;

/** What was sent, and what came of it. */
export function channelDeliveries(outbox: Pick<Outbox, 'log'>): SubresourceHandler {
  return {
    read: async (object, _ref, _context, query = {}): Promise<NotificationDeliveries> => {
      const messages = await outbox.log(object.metadata.uid, limitOf(query), stateOf(query));
      return { ...headOf(object, 'NotificationDeliveryList'), items: messages.map(shown) };
    },
  };
}

export interface ChannelTestPorts {
  readonly outbox: Pick<Outbox, 'note'>;
  readonly sender: Pick<ChannelSender, 'hindrance' | 'send'>;
  /** Has the channel looked at, whose status says how the last attempt went. */
  readonly onEnd: (channel: ChannelName) => Promise<void>;
}

/** Sends a message now, once; it is in the log like others, and in no queue. */
export function channelTest({ outbox, sender, onEnd }: ChannelTestPorts): SubresourceHandler {
  return {
    write: async (
      object: KubeObject,
      _ref: ResourceRef,
      { dryRun }: SubresourceWrite,
      { caller, signal, traceId }: CallContext,
    ): Promise<NotificationTest> => {
      const channel = object as NotificationChannel;
      const { name, deletionTimestamp } = channel.metadata;
      if (deletionTimestamp) throw conflict(`NotificationChannel "${name}" is being deleted`);
      const hindrance = await sender.hindrance(channel);
      if (hindrance) throw conflict(hindrance.message, { reason: hindrance.reason });
      const message = { id: randomUUID(), telling: testTelling(channel, caller.user, traceId), occurrences: 1 };
      const head = headOf(object, 'NotificationTest');
      const at = new Date();
      if (dryRun) return { ...head, id: message.id, attempt: { attempt: 1, at: at.toISOString(), outcome: 'Unknown' } };
      const how = await sender.send(channel, message, signal ?? new AbortController().signal);
      await outbox.note(nameOf(channel), message, how);
      await onEnd(nameOf(channel));
      return { ...head, id: message.id, attempt: testAttempt(at, how) };
    },
  };
}

function testTelling(
  { metadata: { name, namespace = '', uid } }: NotificationChannel,
  user: string,
  traceId: string,
): Telling {
  const { kind } = NOTIFICATION_CHANNEL;
  const now = new Date().toISOString();
  return {
    project: namespace,
    object: { apiVersion: apiVersionOf(NOTIFICATION_CHANNEL), kind, name, uid },
    severity: 'Info',
    reason: 'Test',
    message: `This is a test of the channel ${name}, asked for by ${user}. Nothing has happened`,
    count: 1,
    firstAt: now,
    lastAt: now,
    traceId,
  };
}

/** Nobody tries a test again. */
function testAttempt(at: Date, { kind, httpStatus, detail, tookMs }: EndedAttempt): NotificationAttempt {
  return {
    attempt: 1,
    at: at.toISOString(),
    outcome: kind === 'Delivered' ? kind : 'Failed',
    ...(httpStatus === undefined ? {} : { httpStatus }),
    milliseconds: Math.round(tookMs),
    ...(detail === undefined ? {} : { detail }),
  };
}

function shown({ id, state, telling, occurrences, createdAt, dueAt, attempts }: LoggedMessage): NotificationDelivery {
  const { object, severity, reason, message } = telling;
  return {
    id,
    state,
    type: cloudEventType(telling),
    severity,
    object: `${object.kind}/${object.name}`,
    reason,
    message,
    occurrences,
    createdAt: createdAt.toISOString(),
    ...(state === 'Pending' ? { dueAt: dueAt.toISOString() } : {}),
    attempts: attempts.map(shownAttempt),
  };
}

function shownAttempt({
  attempt,
  beganAt,
  kind,
  httpStatus,
  tookMs,
  detail,
  nextAt,
}: LoggedAttempt): NotificationAttempt {
  return {
    attempt,
    at: beganAt.toISOString(),
    outcome: kind ?? 'Unknown',
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(tookMs === undefined ? {} : { milliseconds: tookMs }),
    ...(detail === undefined ? {} : { detail }),
    ...(nextAt === undefined ? {} : { nextAttemptAt: nextAt.toISOString() }),
  };
}

function headOf(
  { metadata: { name, namespace = '' } }: KubeObject,
  kind: string,
): Pick<NotificationDeliveries, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: apiVersionOf(NOTIFICATION_CHANNEL), kind, metadata: { name, namespace } };
}

function limitOf({ limit }: SubresourceQuery): number {
  if (limit === undefined || limit === '') return DEFAULT_LIMIT;
  const wanted = Number(limit);
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= MOST) return wanted;
  throw badRequest(`limit: must be a whole number from 1 to ${MOST}`);
}

function stateOf({ state }: SubresourceQuery): NotificationState | undefined {
  if (state === undefined || state === '') return undefined;
  const found = NOTIFICATION_STATES.find((each) => each === state);
  if (found) return found;
  throw badRequest(`state: must be one of ${NOTIFICATION_STATES.join(', ')}`);
}
