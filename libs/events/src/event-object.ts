import { createHash } from 'node:crypto';
import { apiVersionOf, EVENT, storableText, type EventObject, type KubeObject, type ObjectReference } from '@crate/api';
import type { EventDraft } from '@crate/reconcile';
import type { ObjectKey } from '@crate/resource-store';

/** Namespace of events about objects that have none, as in Kubernetes. */
export const CLUSTER_SCOPED_NAMESPACE = 'default';

/** Annotation with the trace of the pass that told it last. */
export const TRACE_ANNOTATION = 'crate.dev/trace-id';

const LONGEST_NAME = 200;
const LONGEST_MESSAGE = 1024;
const HASH_LENGTH = 16;

/** Something that happened `count` times, and to what. */
export interface Occurrence {
  readonly about: KubeObject;
  readonly draft: EventDraft;
  /** Part of the identity in place of the message: set where messages differ that are told together. */
  readonly combined?: boolean;
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/** Who tells. */
export interface Reporter {
  readonly component: string;
  readonly instance: string;
}

/** Where an event is stored: the same for what happens again, whichever process tells it. */
export function keyOfOccurrence({ about, draft, combined }: Occurrence, { component }: Reporter): ObjectKey {
  const { name, namespace = CLUSTER_SCOPED_NAMESPACE } = about.metadata;
  const words = [draft.type, draft.reason, combined === true ? '' : draft.message];
  return { ...EVENT_COLLECTION, namespace, name: eventName(name, [about.metadata.uid, component, ...words]) };
}

/** Events as the store knows them. */
export const EVENT_COLLECTION = { group: EVENT.group, kind: EVENT.kind };

/** A name that follows from what the event is about and says, so that storing it twice stores it once. */
export function eventName(about: string, identity: readonly string[]): string {
  const hash = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, HASH_LENGTH);
  return `${about.slice(0, LONGEST_NAME)}.${hash}`;
}

/** An event that is told for the first time. */
export function newEvent(occurrence: Occurrence, reporter: Reporter, labels: Record<string, string>): KubeObject {
  const { about, draft, count, first, last } = occurrence;
  const { namespace, name } = keyOfOccurrence(occurrence, reporter);
  const event = {
    apiVersion: apiVersionOf(EVENT),
    kind: EVENT.kind,
    metadata: { name, namespace, labels, ...annotations(draft) },
    involvedObject: referenceTo(about),
    type: draft.type,
    reason: draft.reason,
    message: shortened(draft.message),
    count,
    firstTimestamp: first.toISOString(),
    lastTimestamp: last.toISOString(),
    eventTime: first.toISOString().replace('Z', '000Z'),
    source: { component: reporter.component },
    reportingComponent: reporter.component,
    reportingInstance: reporter.instance,
  };
  return event as unknown as KubeObject;
}

/** The stored event after it happened again. */
export function happenedAgain(stored: KubeObject, { draft, count, last }: Occurrence): KubeObject {
  const event = stored as EventObject;
  return {
    ...event,
    metadata: { ...event.metadata, ...annotations(draft) },
    // Of several messages that are told together the newest is shown.
    message: shortened(draft.message),
    count: (event.count ?? 1) + count,
    lastTimestamp: last.toISOString(),
  };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}

function annotations({ traceId }: EventDraft): { readonly annotations?: Record<string, string> } {
  return traceId === undefined ? {} : { annotations: { [TRACE_ANNOTATION]: traceId } };
}

function shortened(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').replaceAll('\0', '').trim();
  return storableText(line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`);
}
