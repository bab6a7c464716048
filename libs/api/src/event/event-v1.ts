import { z } from 'zod';
import { formatApiVersion, type KubeObject } from '../object/object.js';
import type { KindDefinition } from '../kind/kind.js';
import { EVENT, type EventObject } from './event.js';
import { objectReference } from './object-reference.js';

const EVENTS_GROUP = 'events.k8s.io';
const V1 = 'v1';

const time = z.string().nullish();

const body = z.object({
  regarding: objectReference.optional().describe('What it happened to'),
  related: objectReference.optional().describe('Another object that has to do with it'),
  reason: z.string().optional().describe('Why, in one word from a small set per kind'),
  note: z.string().optional().describe('What happened, for a person'),
  type: z.string().optional().describe('Normal or Warning'),
  action: z.string().optional().describe('What was done about it'),
  eventTime: time.describe('When it happened first, in microseconds'),
  series: z
    .object({ count: z.int(), lastObservedTime: z.string() })
    .optional()
    .describe('How often it happened, when more than once'),
  reportingController: z.string().optional().describe('Service that tells it'),
  reportingInstance: z.string().optional().describe('Which of its processes'),
  deprecatedSource: z.object({ component: z.string().optional(), host: z.string().optional() }).optional(),
  deprecatedFirstTimestamp: time,
  deprecatedLastTimestamp: time,
  deprecatedCount: z.int().optional(),
});

/** An Event as `events.k8s.io/v1` has it. */
export type EventV1Object = KubeObject & z.output<typeof body>;

/** Events once more, under their newer name and with other field names. */
export const EVENT_V1: KindDefinition<EventV1Object> = {
  ...EVENT,
  group: EVENTS_GROUP,
  version: V1,
  body,
  selectableFields: EVENT.selectableFields.map(fieldInV1),
  example: withoutMetadata(eventV1Of({ ...EVENT.example, metadata: {} } as unknown as EventObject)),
} as KindDefinition<EventV1Object>;

/** The same Event in the other version's words. */
export function eventV1Of(event: EventObject): EventV1Object {
  const { metadata, involvedObject, message, source, count = 1, firstTimestamp, lastTimestamp, ...rest } = event;
  const { reportingComponent, ...same } = rest;
  return {
    ...same,
    apiVersion: formatApiVersion(EVENTS_GROUP, V1),
    kind: EVENT.kind,
    metadata,
    eventTime: event.eventTime ?? null,
    regarding: involvedObject,
    note: message,
    reportingController: reportingComponent ?? source?.component,
    ...(count > 1 && lastTimestamp ? { series: { count, lastObservedTime: inMicroseconds(lastTimestamp) } } : {}),
    deprecatedSource: source,
    deprecatedCount: count,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
  };
}

/** A field selector on `events.k8s.io/v1` in the words of what is stored; what it does not know it leaves alone. */
export function storedEventFields(selector: string): string {
  return selector
    .replaceAll(/(^|,)(\s*)regarding\./g, '$1$2involvedObject.')
    .replaceAll(/(^|,)(\s*)reportingController(?=\s*[=!])/g, '$1$2reportingComponent');
}

/** RFC 3339 with six digits, as Kubernetes' MicroTime. */
function inMicroseconds(time: string): string {
  return time.replace(/(?:\.(\d{1,6})\d*)?Z$/, (_, digits: string = '') => `.${digits.padEnd(6, '0')}Z`);
}

function fieldInV1(field: string): string {
  return field.replace(/^involvedObject\./, 'regarding.').replace(/^reportingComponent$/, 'reportingController');
}

function withoutMetadata({ apiVersion: _, kind: _kind, metadata: _metadata, ...rest }: KubeObject): object {
  return rest;
}
