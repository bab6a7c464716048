import {
  CLUSTER,
  CLUSTER_NAME_LABEL,
  CLUSTER_UID_LABEL,
  NOTIFICATION_CHANNEL,
  type EventObject,
  type NotificationSeverity,
} from '@crate/api';
import { TRACE_ANNOTATION } from '@crate/events';
import { known } from './known.js';
import { severityOf } from './severity.js';

/** An object as receivers are told of it. */
export interface ToldObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
}

/** What happened, as a message tells it; stored as it is. */
export interface Telling {
  readonly project: string;
  readonly object: ToldObject;
  /** What it happened to within the object, such as the Infrastructure of a Cluster. */
  readonly part?: ToldObject;
  /** Absent for what belongs to no Cluster. */
  readonly cluster?: { readonly name: string; readonly uid: string };
  readonly severity: NotificationSeverity;
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
  readonly whatToDo?: string;
  readonly component?: string;
  /** How often it has happened since it happened first. */
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly traceId?: string;
}

/** What happened, and which event tells it. */
export interface ToldEvent extends Telling {
  /** The same for every copy of the event: one that is made anew tells no news. */
  readonly eventId: string;
}

/** Its events are about its own kinds, Clusters among them, and are not copied. */
const OWN_COMPONENT = 'lifecycle';
/** As `failureEvent` writes them. */
const FIELD = /; field: ([^;]+?)(?=; what to do: |$)/;
const WHAT_TO_DO = /; what to do: (.+)$/;

/**
 * What an event has to tell; undefined for what is nobody's news: what belongs to no Project, what is told once more about the Cluster, and
 * how notifications themselves go, which would never end. Pure.
 */
export function tellingOf(event: EventObject): ToldEvent | undefined {
  const { metadata, involvedObject: about, related, reason = 'Unknown' } = event;
  const { kind, name, namespace } = about;
  if (kind === undefined || name === undefined || namespace === undefined) return undefined;
  if (kind === NOTIFICATION_CHANNEL.kind || isToldOfCluster(event)) return undefined;
  const { count = 1, source } = event;
  return {
    eventId: identityOf(event),
    project: namespace,
    object: { kind, name, ...known({ apiVersion: about.apiVersion, uid: about.uid }) },
    severity: severityOf(event),
    reason,
    ...wordsOf(event.message ?? ''),
    count,
    ...timesOf(event),
    ...known({
      part: partOf(related),
      cluster: clusterOf(event),
      component: source?.component,
      traceId: metadata.annotations?.[TRACE_ANNOTATION],
    }),
  };
}

/** Its name says what it tells of what; told anew after it was forgotten it begins at another time, and to count from 1. */
function identityOf({ metadata, firstTimestamp }: EventObject): string {
  return firstTimestamp === undefined ? metadata.uid : `${metadata.name} ${firstTimestamp}`;
}

function timesOf({ metadata, firstTimestamp, lastTimestamp }: EventObject): Pick<Telling, 'firstAt' | 'lastAt'> {
  const lastAt = lastTimestamp ?? metadata.creationTimestamp;
  return { firstAt: firstTimestamp ?? lastAt, lastAt };
}

function partOf(related: EventObject['related']): ToldObject | undefined {
  const { kind, name, uid } = related ?? {};
  return kind === undefined || name === undefined ? undefined : { kind, name, ...known({ uid }) };
}

/** Messages of one subject tell the same thing again. */
export function subjectOf({ object, part, reason, severity }: Telling): string {
  return [...objectWords(object), part?.uid ?? '', reason, severity].join(' ');
}

/** How the subjects of all messages about an object begin. */
export function subjectPrefixOf({ object }: Telling): string {
  return `${objectWords(object).join(' ')} `;
}

function objectWords({ uid, kind, name }: ToldObject): readonly string[] {
  return [uid ?? `${kind}/${name}`];
}

/** By which reasons objects tell that they are well; an account is when its credentials are taken. */
const WELL = ['Ready', 'CredentialsAccepted'];

/** How the subjects of messages that tell so go on behind the object: there is no part. */
export const ALL_CLEARS: readonly string[] = WELL.map((reason) => ['', reason, 'Info'].join(' '));

/** Whether it tells that an object as a whole is well: news to whoever was told that it was not. */
export function isAllClear({ severity, reason, part }: Telling): boolean {
  return severity === 'Info' && WELL.includes(reason) && part === undefined;
}

/** What other services tell of parts is kept once more about the Cluster, see `gathered`. */
function isToldOfCluster({ metadata: { labels = {} }, involvedObject, source }: EventObject): boolean {
  if (source?.component === OWN_COMPONENT || involvedObject.kind === CLUSTER.kind) return false;
  return labels[CLUSTER_NAME_LABEL] !== undefined && labels[CLUSTER_UID_LABEL] !== undefined;
}

function clusterOf({ metadata: { labels = {} }, involvedObject }: EventObject): Telling['cluster'] {
  const { kind, name = '', uid = '' } = involvedObject;
  if (kind === CLUSTER.kind) return { name, uid };
  const { [CLUSTER_NAME_LABEL]: label, [CLUSTER_UID_LABEL]: clusterUid } = labels;
  return label !== undefined && clusterUid !== undefined ? { name: label, uid: clusterUid } : undefined;
}

/** Failures say where and what to do within their message. */
function wordsOf(text: string): Pick<Telling, 'message' | 'field' | 'whatToDo'> {
  const [, field] = FIELD.exec(text) ?? [];
  const [, whatToDo] = WHAT_TO_DO.exec(text) ?? [];
  const message = text.replace(WHAT_TO_DO, '').replace(FIELD, '');
  return { message, ...known({ field, whatToDo }) };
}
