import { z } from 'zod';

/** What became of a message so far. */
export const NOTIFICATION_STATES = ['Pending', 'Delivered', 'Failed', 'Dropped'] as const;
/** What became of a message so far. */
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

const attempt = z.object({
  attempt: z.int().describe('Counts from 1'),
  at: z.string().describe('When it began'),
  outcome: z
    .enum(['Delivered', 'Retry', 'Failed', 'Unknown'])
    .describe('Unknown: it began, and nobody was left to say how it ended'),
  httpStatus: z.int().optional().describe('What the receiver answered'),
  milliseconds: z.int().optional().describe('How long it took'),
  detail: z.string().optional().describe('What went wrong, or the beginning of what the receiver said'),
  nextAttemptAt: z.string().optional().describe('When it is tried again'),
});

const delivery = z.object({
  id: z.string().describe('Id of the CloudEvent: the same in every attempt'),
  state: z.enum(NOTIFICATION_STATES),
  type: z.string().describe('Type of the CloudEvent'),
  severity: z.string(),
  object: z.string().describe('What it is about, such as Cluster/demo'),
  reason: z.string(),
  message: z.string(),
  occurrences: z.int().describe('How often it happened since the message before'),
  createdAt: z.string().describe('When it was put into the queue'),
  dueAt: z.string().optional().describe('When it is sent, or tried again; absent once it ended'),
  attempts: z.array(attempt),
});

/** Answer of the subresource `deliveries`. */
export const notificationDeliveries = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  items: z.array(delivery),
});

/** Answer of the subresource `test`. */
export const notificationTest = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  id: z.string(),
  attempt,
});

/** What was sent, and what came of it. */
export type NotificationDeliveries = z.output<typeof notificationDeliveries>;
/** One message with its attempts. */
export type NotificationDelivery = NotificationDeliveries['items'][number];
/** One attempt to deliver a message. */
export type NotificationAttempt = NotificationDelivery['attempts'][number];
/** What came of a test message. */
export type NotificationTest = z.output<typeof notificationTest>;

/** JSON schemas for the API reference. */
export const notificationDeliveriesJsonSchema = jsonSchema(notificationDeliveries);
/** JSON schema for the API reference. */
export const notificationTestJsonSchema = jsonSchema(notificationTest);

function jsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}
